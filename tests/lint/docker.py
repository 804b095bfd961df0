#!/usr/bin/env python3
"""docker/: the YAML holds what compose wants, paths and pipelines are there, the dashboard shows metrics that the program has: docker.py ARUS ROOT"""
import json
import pathlib
import re
import subprocess
import sys

arus, root = sys.argv[1], pathlib.Path(sys.argv[2])
docker = root / "docker"
SERVICE_KEYS = {"image", "build", "command", "entrypoint", "environment", "ports", "volumes", "depends_on", "healthcheck", "restart"}
failures = []


def check(is_so, text):
    if not is_so:
        failures.append(text)


def check_compose(compose):
    services, volumes = compose["services"], compose["volumes"]
    check(set(compose) <= {"name", "services", "volumes"}, f"compose.yaml: unknown keys {set(compose)}")
    for name, service in services.items():
        check(set(service) <= SERVICE_KEYS, f"{name}: unknown keys {set(service) - SERVICE_KEYS}")
        image = service.get("image", "")
        check(image == "arus" or re.fullmatch(r"[a-z/.-]+:v?\d[\w.]*", image), f"{name}: image {image!r} has no fixed version")
        check((image == "arus") == ("build" in service), f"{name}: only arus is built here")
        for other in service.get("depends_on", []):
            check(other in services, f"{name}: depends on {other}, which is not there")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            check((docker / source).exists() if source.startswith(".") else source in volumes, f"{name}: volume {source} is not there")
        for port in service.get("ports", []):
            check(port.startswith("127.0.0.1:"), f"{name}: port {port} is open to everybody")
        for key, value in service.get("environment", {}).items():
            check(isinstance(value, str), f"{name}: {key} is no text")
        command = service.get("command", [])
        if image == "arus":
            check((docker / command[-1].lstrip("/")).exists(), f"{name}: {command[-1]} is not there")
    return services


def check_dashboard(metrics):
    dashboard = json.loads((docker / "grafana/dashboards/arus.json").read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    check(len(ids) == len(set(ids)), "panels share an id")
    shown = set()
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            shown |= set(re.findall(r"\b(?:arus|process)_\w+", target["expr"]))
    for name in sorted(shown):
        check(re.sub(r"_(bucket|sum|count)$", "", name) in metrics, f"dashboard: there is no metric {name}")
    own = {name for name in metrics if name.startswith("arus_")} - {"arus_last_batch_id", "arus_output_bytes_total"}
    missing = own - {re.sub(r"_bucket$", "", name) for name in shown}
    check(not missing, f"dashboard: {', '.join(sorted(missing))} not shown")


def check_dockerfile():
    text = (docker / "Dockerfile").read_text().replace("\\\n", " ")
    words = [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]
    check(words.count("FROM") == 2 and "USER" in words and words[-2:] == ["ENTRYPOINT", "CMD"], "Dockerfile: two stages, a user, an entry point")
    for line in text.splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                check((root / source).exists(), f"Dockerfile: {source} is not there")


metrics = set(re.findall(r"^\| `(\w+)`", (root / "docs/reference/metrics.md").read_text(), re.M))
check_dockerfile()
check_dashboard(metrics)
for path in sorted((docker / "pipelines").glob("*.sql")):
    done = subprocess.run([arus, "check", str(path)], capture_output=True, text=True)
    check(done.returncode == 0, f"{path.name}: {done.stderr}")
try:
    import yaml
except ImportError:
    print("note: no PyYAML, the YAML files were not looked at")
else:
    services = check_compose(yaml.safe_load((docker / "compose.yaml").read_text()))
    scraped = yaml.safe_load((docker / "prometheus.yaml").read_text())["scrape_configs"][0]["static_configs"][0]["targets"]
    check(sorted(scraped) == sorted(f"{name}:9400" for name, service in services.items() if service["image"] == "arus"), f"prometheus.yaml: targets {scraped}")
    for path in (docker / "grafana/provisioning").rglob("*.yaml"):
        check(yaml.safe_load(path.read_text()).get("apiVersion") == 1, f"{path.name}: no apiVersion")
print("\n".join(failures) or "docker: ok")
sys.exit(bool(failures))
