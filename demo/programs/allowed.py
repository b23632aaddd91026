# Permitted: plain computation. Its output comes from a real container.
import statistics

temperatures = [18.5, 21.0, 19.25, 23.75, 22.0]
print("mean", statistics.mean(temperatures))
print("spread", round(statistics.stdev(temperatures), 2))
