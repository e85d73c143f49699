"""A load made by several of JMeter's own remote engines: start each with its share, then tell all to run the plan.

The plan reads its settings where it runs, so an engine's share of users and rows are properties of the engine: it does
its part whoever starts the plan, this lab or JMeter's GUI. RMI goes over SSL with a key made for the campaign, which
engines and controller must all have.
"""

import os
import secrets
import subprocess
import time
from pathlib import Path

import msgspec

from upload_study import jmeter
from upload_study.generator import gc_log_of, schedule_file
from upload_study.inputs import ensure
from upload_study.merging import MEASURED_FILE, WARM_UP_FILE
from upload_study.plans import plan_for, request_properties
from upload_study.scenario import resolve, schedule_seed
from upload_study.shares import arrivals_of, owners, sizes_of, users_of
from upload_study.spec import REGISTRY_PORT, DriverError, RunSpec
from workload_gen import write_schedule

KEYSTORE_FILE, SETTINGS_FILE = "rmi_keystore.p12", "rmi.properties"
ENGINE_PORT = 1100
VALID_DAYS = 30
NOT_STARTED = ("remote engines have not started", "remote engines could not be configured")
READY = "Bound to RMI registry"
READY_S = 80.0


def make_credentials(folder: Path) -> None:
    """Make the key that engines and controller share, and the properties that name it, for this user's eyes only.

    Raises DriverError with the sentence of keytool.
    """
    password = secrets.token_urlsafe(24)
    os.umask(0o077)
    command = ["keytool", "-genkeypair", "-keyalg", "RSA", "-keysize", "3072", "-alias", "rmi", "-storetype", "PKCS12"]
    command += ["-keystore", str(folder / KEYSTORE_FILE), "-validity", str(VALID_DAYS), "-dname", "CN=upload-lab"]
    # The password is read from the environment: a command line can be read by every user.
    command += ["-storepass:env", "KEYSTORE_PASSWORD"]
    environment = {**os.environ, "KEYSTORE_PASSWORD": password}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    except OSError as error:
        raise DriverError("keytool is not installed; it comes with Java: apt-get install default-jdk") from error
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise DriverError(f"keytool ended with code {done.returncode}: {lines[0] if lines else 'it printed nothing'}")
    stores = [f"server.rmi.ssl.{store}" for store in ("keystore", "truststore")]
    lines = [f"{store}.type=PKCS12\n{store}.password={password}\n" for store in stores]
    (folder / SETTINGS_FILE).write_text("".join([*lines, "server.rmi.ssl.keystore.alias=rmi\n"]), encoding="utf-8")


def serve(spec: RunSpec, out: Path) -> None:
    """Run one engine, with its share of the load, until a SIGTERM; say its process, and when it is ready.

    Raises DriverError when the engine ends by itself.
    """
    number = next(number for number, engine in enumerate(spec.engines) if engine.role == spec.role)
    settings = _share(spec, number, out)
    log = out / f"{spec.role}.jmeter.log"
    arguments = ["-s", "-j", str(log), *rmi_arguments(spec, spec.engines[number].address)]
    arguments += [f"-Dserver_port={REGISTRY_PORT}", f"-Jserver.rmi.localport={ENGINE_PORT}"]
    arguments += jmeter.as_options("-J", settings)
    environment = jmeter.environment(spec, gc_log_of(spec.role))
    try:
        with request_properties(spec.server.upload) as more:
            command = [str(jmeter.LAUNCHER), *more, *arguments]
            jmeter.carry_out(command, out, environment, lambda process: _tell_when_ready(process, log))
    except SystemExit:  # told to end: that is how an engine ends
        return
    raise DriverError("JMeter's engine ended too early.")


def _share(spec: RunSpec, number: int, out: Path) -> dict[str, str]:
    """Return the properties that give an engine its part of the load; its lists are written."""
    whole, engines = resolve(spec.factors, spec.load), len(spec.engines)
    sizes = ensure(spec.factors, spec.load, spec.seed).sizes_csv.read_text(encoding="ascii").splitlines()
    sizes_csv, schedule_csv = out / f"{spec.role}.sizes.csv", out / f"{spec.role}.{schedule_file(whole)}"
    schedule = jmeter.draw_arrivals(spec, whole) if whole.arrivals == "open" else None
    requests = whole.requests if schedule is None else len(schedule.start_s)
    # Without an end every row is somebody's once, and the lists begin again.
    owner = owners(whole, engines, requests or len(sizes), schedule_seed(spec, whole.level))
    if schedule is not None:
        write_schedule(arrivals_of(number, owner, schedule), schedule_csv)
    mine = sizes_of(number, owner, sizes)
    sizes_csv.write_text("".join(f"{size}\n" for size in mine), encoding="ascii")
    load = msgspec.structs.replace(whole, threads=users_of(number, engines, whole.threads))
    return jmeter.properties(spec, load, sizes_csv, schedule_csv)


def _tell_when_ready(process: jmeter.Process, log: Path) -> None:
    jmeter.say({"process": {"role": "injector", "pid": process.pid}})
    deadline = time.monotonic() + READY_S
    while process.poll() is None and time.monotonic() < deadline:
        if log.exists() and READY in log.read_text(errors="replace"):
            jmeter.say({"ready": True})
            return
        time.sleep(0.1)
    process.terminate()


def run(spec: RunSpec, out: Path) -> None:
    """Have the engines warm up, say so, then run the plan together; one JSON line for each second's progress.

    Warm-up is a test of its own: engines begin a test together, but each would begin to measure when it has warmed up.

    Raises DriverError when JMeter ends with an error.
    """
    load = resolve(spec.factors, spec.load, len(spec.engines))
    expected = jmeter.wait_until_told()
    if load.warmup_requests:
        # Closed loops of no files: only the warm-up of the plan is run, which the plan of open arrivals has, too.
        _run_on_engines(spec, "closed", out / WARM_UP_FILE, "jmeter.warmup.log", expected | {"lab.loops": "0"})
    jmeter.say({"warmed_up": True})
    measured = expected | {"lab.warmup_threads": "0", "lab.warmup_loops": "0"}
    if load.arrivals == "open":
        write_schedule(jmeter.draw_arrivals(spec, load), out / schedule_file(load))
    else:
        measured["lab.loops"] = str(-1 if load.loops is None else load.loops)
    _run_on_engines(spec, load.arrivals, out / MEASURED_FILE, "jmeter.log", measured)


def _run_on_engines(spec: RunSpec, arrivals: str, requests: Path, log: str, settings: dict[str, str]) -> None:
    plan = plan_for(spec, jmeter.PLANS[arrivals], requests.parent)
    arguments = [str(jmeter.LAUNCHER), *jmeter.plan_arguments(plan, requests, log), "-R", addresses(spec)]
    # Ports of the controller's own choice: with a fixed one (client.rmi.localport) JMeter 5.6.3 can listen over SSL to
    # one engine only.
    arguments += rmi_arguments(spec, spec.controller)
    if arrivals == "open":
        arguments += jmeter.as_options("-J", jmeter.SCHEDULED_COLUMN)
    arguments += jmeter.as_options("-G", settings)
    jmeter.carry_out(arguments, requests.parent, dict(os.environ), lambda process: jmeter.follow(process, requests))
    _check_started(requests.with_name(log))


def _check_started(log: Path) -> None:
    """Raise DriverError when an engine could not be told to begin: JMeter says so in its log only, and returns 0."""
    lines = log.read_text(errors="replace").splitlines()
    if any(sentence in line for line in lines for sentence in NOT_STARTED):
        errors = [line.partition(" ERROR ")[2].partition(": ")[2] for line in lines if " ERROR " in line]
        raise DriverError(f"JMeter could not start the plan on all engines: {(errors or ['it gave no reason'])[0]}")


def addresses(spec: RunSpec) -> str:
    """Return where the engines are reached, as JMeter wants it (`-R`, the property remote_hosts)."""
    return ",".join(f"{engine.address}:{REGISTRY_PORT}" for engine in spec.engines)


def rmi_arguments(spec: RunSpec, address: str) -> list[str]:
    """Return the arguments that let JMeter, reached at an address, and the others of the campaign know each other."""
    assert spec.secrets is not None  # every engine and the controller have it
    keystore = spec.secrets / KEYSTORE_FILE
    stores = [f"-Jserver.rmi.ssl.{store}.file={keystore}" for store in ("keystore", "truststore")]
    return [f"-Djava.rmi.server.hostname={address}", "-q", str(spec.secrets / SETTINGS_FILE), *stores]
