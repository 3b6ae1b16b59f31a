import "./bulk.css";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { findWayBack } from "../../data/undo/way-back.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type ActField, ActInput } from "./act-input.tsx";
import type { Values } from "./bulk-acts.ts";
import { type ActLine, toLines } from "./results.ts";
import { Button } from "../../ui/form/button.tsx";

type Results = Schemas["ActResults"];

const TYPING_MS = 250;

export interface PlannedAct {
  /** As the button says it: "Resolve". */
  readonly label: string;
  /** As the dialog says it: "Resolve 2 tickets". */
  readonly title: string;
  readonly ids: readonly string[];
  readonly fields?: readonly ActField[];
  /** Values of the form that a dry run sends in the place of what is typed. */
  readonly sample?: Values;
  /** What is said of a ticket of which no field of the queue changes. */
  readonly effect?: string;
  /** What to know before it is done. */
  readonly note?: string;
  /** Undefined while the form does not say enough. */
  readonly send: (
    ids: readonly string[],
    dryRun: boolean,
    values: Values,
  ) => Promise<Results> | undefined;
  /** Takes it back where the server does not offer that. */
  readonly undo?: (done: Results["results"]) => Promise<void>;
}

interface ActPreviewProps {
  readonly plan: PlannedAct;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** Tickets changed again after the dialog was closed, by Undo. */
  readonly onUndone?: () => void;
}

/** First a dry run that shows each ticket before and after; then all of them, or only those that can. */
export function ActPreview({ plan, onDone, onClose, onUndone }: ActPreviewProps) {
  const nameOf = useNames();
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { results, error, isLoading, setError, retry } = useDryRun(plan, values);
  const main = useRef<HTMLButtonElement>(null);
  const { fields = [], effect } = plan;
  const hasForm = fields.length > 0;
  // While it is tried, the button can't be focused. A form keeps the focus.
  useEffect(() => {
    if (!hasForm) main.current?.focus();
  }, [results, hasForm]);
  const lines = toLines(results?.results ?? [], nameOf);
  const able = lines.filter(({ refusal }) => refusal === undefined);
  const missing = fields.filter(({ name, isOptional }) => !isOptional && !values[name]);
  const submit = async (): Promise<void> => {
    setTried(true);
    if (missing.length > 0 || able.length === 0 || isBusy) return;
    const ids = able.map(({ id }) => id);
    setBusy(true);
    try {
      const done = await plan.send(ids, false, values);
      if (done) tellDone(plan, done.results, onUndone);
      onDone();
    } catch (refused) {
      setBusy(false);
      // Some of them changed meanwhile: the list says which.
      retry();
      setError(new Error(describeRefusal(refused)));
    }
  };
  const footer = (
    <>
      <Button type="button" onClick={onClose}>
        Cancel
      </Button>
      <Button look="main" ref={main} disabled={able.length === 0 || isBusy}>
        {plan.label} {able.length > 0 && count(able.length, "ticket")}
      </Button>
    </>
  );
  return (
    <Dialog
      title={plan.title}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={footer}
      isWide
    >
      {hasForm && (
        <div
          className="act-form"
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            void submit();
          }}
        >
          {fields.map((field) => (
            <ActInput
              key={field.name}
              field={field}
              without={plan.ids}
              value={values[field.name]}
              error={isTried && missing.includes(field) ? "Required" : undefined}
              onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
            />
          ))}
        </div>
      )}
      {plan.note !== undefined && <p className="muted">{plan.note}</p>}
      {error && <ErrorNotice error={error} />}
      {isLoading && <Loading rows={5} />}
      <ActLines lines={lines} effect={effect} />
    </Dialog>
  );
}

/** What would become of each ticket, and why some of them refuse. */
export function ActLines({
  lines,
  effect = "stays as it is",
}: {
  readonly lines: readonly ActLine[];
  readonly effect?: string | undefined;
}) {
  const refused = lines.filter(({ refusal }) => refusal !== undefined).length;
  return (
    <>
      {refused > 0 && (
        <p className="act-refused" role="status">
          {count(refused, "ticket")} can't be changed in this way and will be left out.
        </p>
      )}
      <ul className="act-lines">
        {lines.map(({ id, number, title, changes, refusal }) => (
          <li key={id} className={refusal === undefined ? undefined : "refused"}>
            <span className="mono muted">{number}</span>
            <span className="cut">{title}</span>
            <span>{refusal ?? (changes.join(", ") || effect)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Tries the act whenever the form says something else that decides about it. */
function useDryRun(plan: PlannedAct, values: Values) {
  const [results, setResults] = useState<Results>();
  const [error, setError] = useState<Error>();
  const [isLoading, setLoading] = useState(false);
  const [turn, setTurn] = useState(0);
  const settled = useDebounced(values, TYPING_MS);
  const deciding = Object.entries(settled).filter(([name]) => plan.sample?.[name] === undefined);
  const decided = JSON.stringify(deciding);
  useEffect(() => {
    let isGone = false;
    const sent = plan.send(plan.ids, true, settled);
    if (!sent) {
      setResults(undefined);
      return undefined;
    }
    setLoading(true);
    void sent
      .then(
        (found) => {
          if (isGone) return;
          setResults(found);
          setError(undefined);
        },
        (refused: unknown) =>
          !isGone && setError(refused instanceof Error ? refused : new Error(String(refused))),
      )
      .finally(() => !isGone && setLoading(false));
    return () => {
      isGone = true;
    };
    // Of `settled`, only what `decided` has matters.
  }, [plan, decided, turn]);
  return {
    results,
    error,
    isLoading: isLoading && !results,
    setError,
    retry: () => setTurn(turn + 1),
  };
}

/** Tells what was done, and offers the way back. */
function tellDone(
  { label, undo }: PlannedAct,
  done: Results["results"],
  onUndone: (() => void) | undefined,
): void {
  const invert =
    undo &&
    ((): void =>
      void undo(done).then(
        () => {
          notify(`Undone: ${count(done.length, "ticket")}`);
          onUndone?.();
        },
        (error: unknown) => notify(describeRefusal(error)),
      ));
  notify(`${label}: ${count(done.length, "ticket")} changed`, findWayBack() ?? invert);
}
