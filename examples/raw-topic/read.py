# Prints the raw frames of a Squitter cluster, oldest first: partition,offset,index,time in µs,receiver,frame.
#   pip install confluent-kafka fastavro
#   python read.py localhost:9092 http://localhost:8085/apis/ccompat/v7
import functools, io, json, struct, sys, time, urllib.request
import confluent_kafka, fastavro

brokers, registry = sys.argv[1:] or ("localhost:9092", "http://localhost:8085/apis/ccompat/v7")


@functools.cache
def schema(number):
    answer = json.load(urllib.request.urlopen(f"{registry}/schemas/ids/{number}"))
    return fastavro.parse_schema(json.loads(answer["schema"]))


consumer = confluent_kafka.Consumer({"bootstrap.servers": brokers, "group.id": f"raw-{time.time()}", "auto.offset.reset": "earliest"})
consumer.subscribe(["adsb.frames.v1"])
while True:
    [record] = consumer.consume(1)
    if record.error():
        sys.exit(record.error().str())
    value = record.value()
    batch = fastavro.schemaless_reader(io.BytesIO(value[5:]), schema(int.from_bytes(value[1:5], "big")))
    for i in range(batch["count"]):
        since, counter, signal, flags, receiver, frame = struct.unpack_from("<I6sBBH14s", batch["frames"], 28 * i)
        hexadecimal = (frame if flags & 1 else frame[:7]).hex()
        print(record.partition(), record.offset(), i, batch["baseTimeUs"] + since, batch["receivers"][receiver], hexadecimal, sep=",")
    sys.stdout.flush()
