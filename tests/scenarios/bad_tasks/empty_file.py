# expect_error: defines no class Model

