"""`cupel optimize-model`: captures a script's model, optimizes its hot modules within one budget,
puts the winners in place, ships what won, and has the whole model judged with that applied."""
