"""spark-submit spark.py MODEL INPUT OUTPUT PARTITIONS: translates the lines of INPUT with `hexapla translate`. The program
and MODEL must be on every worker. INPUT may be any text that Spark reads, also compressed or in many files."""
import os
import sys

from pyspark.sql import SparkSession

model, source, target, partitions = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
spark = SparkSession.builder.appName("hexapla translate").getOrCreate()
lines = spark.sparkContext.textFile(source, minPartitions=partitions)
# Without checkCode, a program that dies silently loses the rest of its partition. Spark does not pass PATH by itself.
translations = lines.pipe(f"hexapla translate --quiet --threads 1 -m {model}", {"PATH": os.environ["PATH"]}, checkCode=True)
translations.saveAsTextFile(target)
# Detects lost partitions, and lines that Spark splits in two.
read, written = lines.count(), spark.sparkContext.textFile(target).count()
if read != written:
    sys.exit(f"{read} lines were read, but {written} translations written: remove {target} and run again")
