"""An Airflow DAG with one task per stage of a pipeline. Each task continues the run of the task before it.

A retried task starts its stage again; the output of earlier stages is complete. Set PIPELINE, WORK and METRICS, and replace `alert`
with code that informs you of a failed night.
"""

import logging
from datetime import datetime, timedelta

from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator
except ImportError:  # Airflow 2
    from airflow.operators.bash import BashOperator

PIPELINE = "/etc/nightjar/fusion.yaml"
WORK = "/var/lib/nightjar"
METRICS = "/var/lib/nightjar/fusion.prom"
STAGES = ["ingest", "index", "fit", "rank", "evaluate", "publish"]


def command(stage: str) -> str:
    """Returns the command of a stage. The first stage starts a run, and the other stages resume it. A stage writes the report if
    it is the last stage or if it fails.
    """
    resume = "" if stage == STAGES[0] else " --resume"
    return f"nightjar run {PIPELINE} --work {WORK} --until {stage}{resume} --report --metrics {METRICS} --log-format json"


def alert(context: dict) -> None:
    """Informs the operators of a failed task, after its retries."""
    logging.getLogger("nightjar").error("The night failed in the task %s.", context["task_instance"].task_id)


with DAG(
    dag_id="nightjar_fusion",
    schedule="30 3 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5), "on_failure_callback": alert},
) as dag:
    tasks = [BashOperator(task_id=stage, bash_command=command(stage)) for stage in STAGES]
    for earlier, later in zip(tasks, tasks[1:]):
        earlier >> later
