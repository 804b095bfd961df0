#!/usr/bin/env python3
"""Passwords and certificates: SASL PLAIN and SCRAM over TLS, mutual TLS, rights, against a real broker."""
import pathlib
import subprocess
import time

import cluster
from cluster import Failure, Run, contains, equal

cluster.start_again_with_kafka()

PIPELINE = """CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$TOPIC', startingOffsets 'earliest', $SECURITY);
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', $SECURITY, checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT key, value FROM STREAM t;
"""
JAAS = "org.apache.kafka.common.security.{} required username=\"{}\" password=\"${{env:WORD}}\";"
numbers = iter(range(1, 1000))


def job(broker, topics, security):
    tag = f"{next(numbers)}-{time.time_ns() % 100000}"
    topics.create("in-" + tag)
    topics.create("out-" + tag)
    topics.put("in-" + tag, "a", "b")
    run = Run(PIPELINE, BROKER=broker.secure, TOPIC="in-" + tag, TARGET="out-" + tag, SECURITY=security)
    run.target = "out-" + tag
    return run


def tls(broker):
    return f"kafka.security.protocol 'SASL_SSL', kafka.ssl.truststore.type 'PEM', kafka.ssl.truststore.location '{broker.folder}/tls/ca.pem'"


def arrives(run, topics, **env):
    run.run(env=env)
    equal(topics.values(run.target), ["a", "b"])


def test_plain_over_tls(broker, topics):
    login = JAAS.format("plain.PlainLoginModule", "arus")
    arrives(job(broker, topics, f"{tls(broker)}, kafka.sasl.mechanism 'PLAIN', kafka.sasl.jaas.config '{login}'"), topics, WORD="arus-secret")
    own = f"kafka.security.protocol 'SASL_SSL', kafka.ssl.ca.location '{broker.folder}/tls/ca.pem', kafka.sasl.mechanism 'PLAIN'"
    run = job(broker, topics, own + ", kafka.sasl.username 'arus', kafka.sasl.password '${file:word}'")
    (run.folder / "word").write_text("arus-secret\n")
    arrives(run, topics)


def test_a_wrong_password_is_said_at_once(broker, topics):
    login = JAAS.format("plain.PlainLoginModule", "arus")
    run = job(broker, topics, f"{tls(broker)}, kafka.sasl.mechanism 'PLAIN', kafka.sasl.jaas.config '{login}'")
    failed = run.run(code=2, env={"WORD": "wr0ng-word"})
    contains(failed.stderr, "does not let us in", "ARUS_KAFKA_NOT_AUTHORIZED", "p.sql:1:")
    if "wr0ng-word" in failed.stderr:
        raise Failure("the password is shown")


def test_an_unknown_authority_is_said_at_once(broker, topics):
    run = job(broker, topics, "kafka.security.protocol 'SASL_SSL', kafka.sasl.mechanism 'PLAIN', kafka.sasl.username 'arus', kafka.sasl.password 'arus-secret'")
    contains(run.run(code=2).stderr, "does not let us in", "certificate verify failed")


def test_scram(broker, topics):
    from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
    change = UserScramCredentialUpsertion("sam", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), b"sam-secret")
    for future in topics.admin.alter_user_scram_credentials([change]).values():
        future.result(cluster.PATIENCE)
    topics.wait(lambda: topics.admin.describe_user_scram_credentials(["sam"])["sam"].result(cluster.PATIENCE).scram_credential_infos)
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    def is_let_in():
        try:
            return AdminClient({"bootstrap.servers": broker.secure, "security.protocol": "SASL_SSL", "ssl.ca.location": f"{broker.folder}/tls/ca.pem",
                                "sasl.mechanism": "SCRAM-SHA-256", "sasl.username": "sam", "sasl.password": "sam-secret", "log_level": 0}).list_topics(timeout=5)
        except KafkaException:
            return False
    topics.wait(is_let_in)  # the broker's own copy follows
    login = JAAS.format("scram.ScramLoginModule", "sam")
    run = job(broker, topics, f"{tls(broker)}, kafka.sasl.mechanism 'SCRAM-SHA-256', kafka.sasl.jaas.config '{login}'")
    import confluent_kafka
    newer = list((pathlib.Path(confluent_kafka.__file__).parent.parent / "confluent_kafka.libs").glob("librdkafka-*.so*"))
    if not newer:
        return
    done = run.run(code=None, env={"WORD": "sam-secret"})
    if done.returncode != 0:  # Debian 12's librdkafka at a new broker
        contains(done.stderr, "librdkafka 2.6.1 or newer")
    (run.folder / "lib").mkdir()
    (run.folder / "lib" / "librdkafka.so.1").symlink_to(newer[0])
    arrives(run, topics, WORD="sam-secret", LD_LIBRARY_PATH=str(run.folder / "lib"))


def test_java_key_stores_are_refused_with_a_hint(broker, topics):
    run = job(broker, topics, "kafka.security.protocol 'SSL', kafka.ssl.truststore.location 'trust.jks'")
    contains(run.run(code=2).stderr, "reads no Java key stores", "PEM", "p.sql:1:")


def test_mutual_tls(broker, topics):
    folder = pathlib.Path(broker.folder, "tls")
    subprocess.run("""openssl req -newkey rsa:2048 -nodes -subj /CN=client -keyout c.key -out c.csr 2>/dev/null
        openssl x509 -req -in c.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out c.crt 2>/dev/null
        cat c.key c.crt > client.pem""", shell=True, cwd=folder, check=True)
    second = cluster.Broker("--secure", "--set", "listener.name.sasl_ssl.ssl.client.auth=required", "--set", f"ssl.truststore.location={folder}/ca.pem",
                            "--set", f"ssl.keystore.location={folder}/server.pem")
    other = cluster.Topics(second.servers)
    base = f"kafka.security.protocol 'SASL_SSL', kafka.ssl.ca.location '{folder}/ca.pem', kafka.sasl.mechanism 'PLAIN', kafka.sasl.username 'arus', kafka.sasl.password 'arus-secret'"
    arrives(job(second, other, base + f", kafka.ssl.keystore.type 'PEM', kafka.ssl.keystore.location '{folder}/client.pem'"), other)
    failed = job(second, other, base).run(code=None)
    if failed.returncode == 0:
        raise Failure("let in without a certificate")
    second.close()


if __name__ == "__main__":
    def make():
        broker = cluster.Broker("--secure", "--set", "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256", "--set",
                                "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;")
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
