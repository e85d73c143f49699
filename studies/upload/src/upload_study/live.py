"""Live figures: the plan's listener that writes them to InfluxDB, and what it is told."""

import re
import urllib.error
import urllib.request

from upload_study.spec import CampaignSpec, DriverError, RunSpec

DISABLED_LISTENER = re.compile(r'(<BackendListener [^>]*)enabled="false"')
ANSWER_WITHIN_S = 5.0
WITHOUT_JMETER = "--influxdb: only --generator jmeter writes live figures."
SEVERAL = "--influxdb: only one load generator can write live figures, not several together."


def check_live_figures(spec: CampaignSpec) -> None:
    """Raise DriverError when live figures are asked for that cannot be written."""
    for url in {scenario.load.influxdb for scenario in spec.scenarios} - {None}:
        if spec.injectors > 1:
            raise DriverError(SEVERAL)
        if any(scenario.factors.generator != "jmeter" for scenario in spec.scenarios):
            raise DriverError(WITHOUT_JMETER)
        check_database(str(url))


def with_listener(plan: str) -> str:
    """Return the text of a plan with its listener for live figures enabled.

    Raises DriverError for a plan that has not one such listener.
    """
    text, enabled = DISABLED_LISTENER.subn(r'\1enabled="true"', plan)
    if enabled != 1:
        raise DriverError(f"The plan has {enabled} disabled Backend Listeners for live figures, not one.")
    return text


def live_settings(spec: RunSpec) -> dict[str, str]:
    """Return the plan's settings for live figures, by property name; none when they are not asked for."""
    if spec.load.influxdb is None:
        return {}
    return {
        "lab.influxdb_url": spec.load.influxdb,
        "lab.campaign": spec.campaign,
        "lab.cell": spec.cell,
        "lab.repeat": spec.repeat,
    }


def check_database(url: str) -> None:
    """Write nothing to a database and see that it agrees; raise DriverError when it does not.

    JMeter would go on without it and say so only in its log.
    """
    try:
        request = urllib.request.Request(url, data=b"", method="POST")
        with urllib.request.urlopen(request, timeout=ANSWER_WITHIN_S):
            return
    except urllib.error.HTTPError as error:
        said = error.read(500).decode(errors="replace").strip()
        reason = f"InfluxDB answers {error.code} {said}"
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", error))
    raise DriverError(f"--influxdb {url}: {reason}; expected an address like http://HOST:8086/write?db=NAME.")
