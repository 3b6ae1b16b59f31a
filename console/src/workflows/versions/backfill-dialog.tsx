import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { useForm } from "../../data/form/use-form.ts";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { DateTimeField } from "../../ui/form/date-time-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import "./backfill.css";

type Backfill = Schemas["Backfill"];

const DAY_MS = 86_400_000;
const PAUSE_MS = 500;
const POLL_MS = 1_500;
const LISTED = 5;
const CONCURRENCY = 5;

interface BackfillDialogProps {
  readonly workflow: Pick<Schemas["Workflow"], "id" | "name">;
  readonly onClose: () => void;
}

/** Runs a workflow for past events: period, number of runs, and progress. */
export function BackfillDialog({ workflow, onClose }: BackfillDialogProps) {
  const [initial] = useState((): BackfillDraft => ({
    from: new Date(Date.now() - DAY_MS).toISOString(),
    to: null,
    maxConcurrency: CONCURRENCY,
  }));
  const params = { id: workflow.id };
  const form = useForm("workflows.backfill", {
    params,
    initial,
    toBody: ({ from, to, maxConcurrency }: BackfillDraft) => ({
      ...toSpan({ from, to }),
      maxConcurrency: maxConcurrency ?? CONCURRENCY,
    }),
    said: "Backfill started",
  });
  const { from, to } = form.values;
  const span = useDebounced(JSON.stringify(toSpan({ from, to })), PAUSE_MS);
  const plan = useQuery({
    enabled: from !== null,
    queryKey: ["backfill plan", workflow.id, place.environment, span],
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = JSON.parse(span) as Span;
      const body = { ...asked, dryRun: true };
      return (await call("workflows.backfill", { params, body }, { signal })).data;
    },
  });
  const found = plan.data;
  const isEmpty = found?.matched === 0;
  return (
    <FormDialog
      form={{
        ...form,
        refusal: form.refusal ?? (isEmpty ? "No events in this period." : undefined),
      }}
      title={`Backfill ${workflow.name}`}
      isWide
      onClose={onClose}
      act={
        found && found.matched > 0
          ? `Start ${found.truncated ? "more than " : ""}${count(found.matched, "run")}`
          : "Start"
      }
    >
      <Grid min="m">
        <DateTimeField {...form.field("from")} isRequired />
        <DateTimeField {...form.field("to")} />
        <NumberField {...form.field("maxConcurrency")} label="Concurrency" isRequired />
      </Grid>
      <p role="status" className={plan.error ? "problem" : "muted"} aria-busy={plan.isFetching}>
        {describePreview(from !== null, plan)}
      </p>
      <Backfills workflowId={workflow.id} />
    </FormDialog>
  );
}

interface BackfillDraft {
  readonly from: string | null;
  readonly to: string | null;
  readonly maxConcurrency: number | null;
}

interface Span {
  readonly from: string;
  readonly to?: string;
}

const toSpan = ({ from, to }: Pick<BackfillDraft, "from" | "to">): Span => ({
  from: from ?? "",
  ...(to !== null && { to }),
});

/** The state of the preview. */
function describePreview(
  isReady: boolean,
  { data, error }: { readonly data: Plan | undefined; readonly error: Error | null },
): string {
  if (!isReady) return "Enter a start time.";
  if (error) return error.message;
  return data ? describePlan(data) : "Counting…";
}

type Plan = Schemas["BackfillPlan"];

function describePlan({ matched, truncated }: Plan): string {
  if (matched === 0) return `No events in ${place.environment} in this period.`;
  const runs = `${truncated ? "More than " : ""}${count(matched, "run")}`;
  return `${runs} in ${place.environment}, oldest first. Events that already started a run are included.`;
}

/** The latest backfills and their progress. */
function Backfills({ workflowId }: { readonly workflowId: string }) {
  const { data, error, refetch } = useOp(
    "workflows.list_backfills",
    { params: { id: workflowId }, query: { limit: LISTED } },
    { refetchInterval: POLL_MS },
  );
  const backfills = data?.data ?? [];
  if (error && !data) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (backfills.length === 0) return null;
  return (
    <section aria-label="Backfills" className="backfills">
      <h3>Recent backfills</h3>
      <ul>
        {backfills.map((backfill) => (
          <BackfillLine key={backfill.id} backfill={backfill} />
        ))}
      </ul>
    </section>
  );
}

const STATES: Readonly<Record<Backfill["state"], string>> = {
  running: "running",
  completed: "done",
  cancelled: "cancelled",
  failed: "failed",
};

function BackfillLine({ backfill }: { readonly backfill: Backfill }) {
  const { id, state, started, reason, createdAt } = backfill;
  const cancel = useCommand("backfills.cancel");
  return (
    <li>
      <span className="grow">
        {count(started, "run")} started, {STATES[state]}
        {reason !== null && `: ${reason}`} <Ago at={createdAt} />
      </span>
      {state === "running" && (
        <>
          <progress aria-label="Running" />
          <CommandButton
            command={cancel}
            onPress={() => void cancel.run({ params: { id } })}
            aria-label="Cancel backfill"
          >
            Cancel
          </CommandButton>
        </>
      )}
    </li>
  );
}
