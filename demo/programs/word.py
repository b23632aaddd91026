# Permitted: the word open( stands in a string, which opens nothing.
advice = "Never call open('/etc/passwd') or os.system('id') in an answer."
print(len(advice.split()), "words of good advice")
