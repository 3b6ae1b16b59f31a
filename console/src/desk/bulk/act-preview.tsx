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
  /** The button label: "Resolve". */
  readonly label: string;
  /** The dialog title: "Resolve 2 tickets". */
  readonly title: string;
  readonly ids: readonly string[];
  readonly fields?: readonly ActField[];
  /** Placeholder values that a dry run sends instead of the form's values. */
  readonly sample?: Values;
  /** The description for tickets whose displayed fields do not change. */
  readonly effect?: string;
  /** A note shown before the action. */
  readonly note?: string;
  /** Returns undefined while the form is incomplete. */
  readonly send: (
    ids: readonly string[],
    dryRun: boolean,
    values: Values,
  ) => Promise<Results> | undefined;
  /** Reverts the action where the server does not offer undo. */
  readonly undo?: (done: Results["results"]) => Promise<void>;
}

interface ActPreviewProps {
  readonly plan: PlannedAct;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** Called when Undo changes tickets after the dialog was closed. */
  readonly onUndone?: () => void;
}

/**
 * Shows a dry run of each ticket before and after; then runs the action on all of them, or on those that do not
 * fail.
 */
export function ActPreview({ plan, onDone, onClose, onUndone }: ActPreviewProps) {
  const nameOf = useNames();
  const [values, setValues] = useState<Values>({});
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { results, error, isLoading, setError, retry } = useDryRun(plan, values);
  const main = useRef<HTMLButtonElement>(null);
  const { fields = [], effect } = plan;
  const hasForm = fields.length > 0;
  // The button loses focus while it is disabled during the dry run. With a form, the form keeps the focus.
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
      // Some tickets changed in the meantime: a new dry run shows which.
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

/** The expected result of each ticket, with the reason if the action fails. */
export function ActLines({
  lines,
  effect = "no change",
}: {
  readonly lines: readonly ActLine[];
  readonly effect?: string | undefined;
}) {
  const refused = lines.filter(({ refusal }) => refusal !== undefined).length;
  return (
    <>
      {refused > 0 && (
        <p className="act-refused" role="status">
          {count(refused, "ticket")} can't be changed and will be skipped.
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

/** Runs the dry run again when a relevant form value changes. */
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
    // Only the relevant part of `settled` is a dependency.
  }, [plan, decided, turn]);
  return {
    results,
    error,
    isLoading: isLoading && !results,
    setError,
    retry: () => setTurn(turn + 1),
  };
}

/** Shows the result with an undo action. */
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
