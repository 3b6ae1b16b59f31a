import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { place } from "../../data/place.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";
import { toIsoTime, toLocalTime } from "../../ui/local-time.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import "./backfill.css";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

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

/** Runs a workflow for a past period: the period, the number of runs, and the progress. */
export function BackfillDialog({ workflow, onClose }: BackfillDialogProps) {
  const [from, setFrom] = useState(() => toLocalTime(new Date(Date.now() - DAY_MS)));
  const [to, setTo] = useState("");
  const [atOnce, setAtOnce] = useState(CONCURRENCY);
  const [isBusy, setBusy] = useState(false);
  const params = { id: workflow.id };
  const span = useDebounced(JSON.stringify({ from: toIsoTime(from), to: toIsoTime(to) }), PAUSE_MS);
  const isReady = toIsoTime(from) !== undefined;
  const plan = useQuery({
    enabled: isReady,
    queryKey: ["backfill plan", workflow.id, place.environment, span],
    retry: false,
    queryFn: async ({ signal }) => {
      const asked = JSON.parse(span) as Span;
      const body = { ...asked, dryRun: true };
      return (await call("workflows.backfill", { params, body }, { signal })).data;
    },
  });
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const body = { ...(JSON.parse(span) as Span), maxConcurrency: atOnce };
      await call("workflows.backfill", { params, body });
      notify("The backfill has begun");
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  const found = plan.data;
  return (
    <Dialog
      title={`Run ${workflow.name} for what has been`}
      isWide
      onClose={onClose}
      onSubmit={() => void start()}
      footer={
        <Button look="main" disabled={isBusy || !isReady || !found || found.matched === 0}>
          {found && found.matched > 0
            ? `Start ${found.truncated ? "more than " : ""}${count(found.matched, "run")}`
            : "Start"}
        </Button>
      }
    >
      <div className="backfill-span">
        <Field label="From">
          {(attributes) => (
            <TextInput
              {...attributes}
              type="datetime-local"
              value={from}
              onChange={({ target }) => setFrom(target.value)}
            />
          )}
        </Field>
        <Field label="To" isOptional>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="datetime-local"
              value={to}
              onChange={({ target }) => setTo(target.value)}
            />
          )}
        </Field>
        <Field label="At once">
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              min={1}
              max={50}
              value={atOnce}
              onChange={({ target }) => setAtOnce(target.valueAsNumber || CONCURRENCY)}
            />
          )}
        </Field>
      </div>
      <p role="status" className={plan.error ? "problem" : "muted"} aria-busy={plan.isFetching}>
        {tellPlan(isReady, plan)}
      </p>
      <Backfills workflowId={workflow.id} />
    </Dialog>
  );
}

interface Span {
  readonly from: string;
  readonly to?: string;
}

/** Describes the current state of the plan. */
function tellPlan(
  isReady: boolean,
  { data, error }: { readonly data: Plan | undefined; readonly error: Error | null },
): string {
  if (!isReady) return "Say from when on.";
  if (error) return error.message;
  return data ? describePlan(data) : "Counting…";
}

type Plan = Schemas["BackfillPlan"];

function describePlan({ matched, truncated }: Plan): string {
  if (matched === 0) return `Nothing in ${place.environment} in that time would have started it.`;
  const runs = `${truncated ? "More than " : ""}${count(matched, "run")}`;
  return `${runs} in ${place.environment}, the oldest first, also of what started one already.`;
}

/** The last backfills, with progress. */
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
      <h3>So far</h3>
      <ul>
        {backfills.map((backfill) => (
          <BackfillLine key={backfill.id} backfill={backfill} />
        ))}
      </ul>
    </section>
  );
}

const STATES: Readonly<Record<Backfill["state"], string>> = {
  running: "under way",
  completed: "done",
  cancelled: "cancelled",
  failed: "failed",
};

function BackfillLine({ backfill }: { readonly backfill: Backfill }) {
  const { id, state, started, reason, createdAt } = backfill;
  const cancel = async (): Promise<void> => {
    try {
      await call("backfills.cancel", { params: { id } });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <li>
      <span className="grow">
        {count(started, "run")} started, {STATES[state]}
        {reason !== null && `: ${reason}`} <Ago at={createdAt} />
      </span>
      {state === "running" && (
        <>
          <progress aria-label="Under way" />
          <Button type="button" onClick={() => void cancel()}>
            Cancel it
          </Button>
        </>
      )}
    </li>
  );
}
