"""`cupel optimize-model`: captures a script's model, optimizes its hot modules within one budget,
puts the winners in place, and has the whole model judged once more."""
