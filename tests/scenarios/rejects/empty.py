# task: softmax
# expect: invalid_reply
# why: Nothing but comments.
