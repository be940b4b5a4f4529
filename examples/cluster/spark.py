"""spark-submit spark.py MODEL INPUT OUTPUT PARTITIONS: translates the lines of INPUT with `hexapla translate`, which has to be
on every worker, and MODEL with it. INPUT may be whatever Spark reads as text, also compressed or in many files."""
import os
import sys

from pyspark.sql import SparkSession

model, source, target, partitions = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
spark = SparkSession.builder.appName("hexapla translate").getOrCreate()
lines = spark.sparkContext.textFile(source, minPartitions=partitions)
# Without checkCode a program that dies loses the rest of its partition in silence. Without a PATH Spark gives it none.
translations = lines.pipe(f"hexapla translate --quiet --threads 1 -m {model}", {"PATH": os.environ["PATH"]}, checkCode=True)
translations.saveAsTextFile(target)
# A line that Spark takes for two, or a part that was lost, shows here.
read, written = lines.count(), spark.sparkContext.textFile(target).count()
if read != written:
    sys.exit(f"{read} lines were read, but {written} translations written: remove {target} and run again")
