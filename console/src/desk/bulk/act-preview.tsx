import "./bulk.css";
import { useEffect, useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { type ActField, ActInput } from "./act-input.tsx";
import type { Values } from "./bulk-acts.ts";
import { type ActLine, toLines } from "./results.ts";

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
  const { label, fields = [], effect, undo } = plan;
  const form = useForm<"tickets.bulk", Values, Results | undefined>("tickets.bulk", {
    check: (values) =>
      Object.fromEntries(
        fields.map(({ name, isOptional }) => [
          name,
          isOptional || values[name] ? undefined : "is required",
        ]),
      ),
    send: async (values) =>
      plan.send(
        able.map(({ id }) => id),
        false,
        values,
      ),
    said: (done) => done && `${label}: ${count(done.results.length, "ticket")} changed`,
    ...(undo && {
      undo: async (done) => {
        await undo(done?.results ?? []);
        notify(`Undone: ${count(done?.results.length ?? 0, "ticket")}`);
        onUndone?.();
      },
    }),
    onDone,
  });
  const { values, failures } = form;
  const { results, error, isLoading } = useDryRun(plan, values, failures);
  const lines = toLines(results?.results ?? [], nameOf);
  const able = lines.filter(({ refusal }) => refusal === undefined);
  const isComplete = fields.every(({ name, isOptional }) => isOptional || values[name]);
  const isPossible = able.length > 0;
  const frame = {
    ...form,
    refusal: form.refusal ?? (isPossible ? undefined : "None of the tickets can be changed."),
    // An incomplete form shows what is missing.
    submit: () => (isPossible || !isComplete) && form.submit(),
  };
  return (
    <FormDialog
      form={frame}
      title={plan.title}
      act={isPossible ? `${label} ${count(able.length, "ticket")}` : label}
      onClose={onClose}
      isWide
    >
      {fields.map((field) => (
        <ActInput
          key={field.name}
          field={field}
          binding={form.field(field.name)}
          without={plan.ids}
        />
      ))}
      {plan.note !== undefined && <p className="muted">{plan.note}</p>}
      {error && <ErrorNotice error={error} />}
      {isLoading && <Loading rows={5} />}
      <ActLines lines={lines} effect={effect} />
    </FormDialog>
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

/**
 * Runs the dry run again when a relevant form value changes, and after a failure: some tickets may have changed in
 * the meantime.
 */
function useDryRun(plan: PlannedAct, values: Values, failures: number) {
  const [results, setResults] = useState<Results>();
  const [error, setError] = useState<Error>();
  const [isLoading, setLoading] = useState(false);
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
  }, [plan, decided, failures]);
  return {
    results,
    error,
    isLoading: isLoading && !results,
  };
}
