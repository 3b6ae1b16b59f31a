import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { toLines } from "./results.ts";

export interface PlannedAct {
  /** As the button says it: "Take". */
  readonly label: string;
  readonly ids: readonly string[];
  readonly send: (ids: readonly string[], dryRun: boolean) => Promise<Schemas["ActResults"]>;
}

interface ActPreviewProps {
  readonly plan: PlannedAct;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** First a dry run that shows each ticket before and after; then all of them, or only those that can. */
export function ActPreview({ plan, onDone, onClose }: ActPreviewProps) {
  const nameOf = useNames();
  const [results, setResults] = useState<Schemas["ActResults"]>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    let isGone = false;
    plan.send(plan.ids, true).then(
      (found) => !isGone && setResults(found),
      (refused: unknown) =>
        !isGone && setError(refused instanceof Error ? refused : new Error(String(refused))),
    );
    return () => {
      isGone = true;
    };
  }, [plan]);
  const main = useRef<HTMLButtonElement>(null);
  // While it is tried out first, the button can't be focused yet.
  useEffect(() => main.current?.focus(), [results]);
  const lines = toLines(results?.results ?? [], nameOf);
  const able = lines.filter(({ refusal }) => refusal === undefined);
  const submit = async (): Promise<void> => {
    if (able.length === 0 || isBusy) return;
    setBusy(true);
    try {
      const ids = able.map(({ id }) => id);
      const { changed } = await plan.send(ids, false);
      notify(`${plan.label}: ${count(changed, "ticket")} changed`);
      onDone();
    } catch (refused) {
      setBusy(false);
      setError(new Error(describeRefusal(refused)));
    }
  };
  const footer = (
    <>
      <button type="button" className="btn" onClick={onClose}>
        Leave it
      </button>
      <button ref={main} className="btn main" disabled={able.length === 0 || isBusy}>
        {plan.label} {able.length > 0 && count(able.length, "ticket")}
      </button>
    </>
  );
  return (
    <Dialog
      title={`${plan.label}: what will change`}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={footer}
      isWide
    >
      {error && <ErrorNotice error={error} />}
      {!results && !error && <Loading rows={5} />}
      <ul className="act-lines">
        {lines.map(({ id, number, title, changes, refusal }) => (
          <li key={id} className={refusal === undefined ? undefined : "refused"}>
            <span className="mono muted">{number}</span>
            <span className="cut">{title}</span>
            <span>{refusal ?? (changes.join(", ") || "stays as it is")}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
