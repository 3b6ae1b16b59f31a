import { useState } from "react";
import { call, invalidate } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useActions } from "../../shell/actions.ts";
import { Keys } from "../../ui/key.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import type { Problem } from "./problem.ts";

interface FindingsProps {
  readonly problem: Problem;
  readonly ifMatch: string | undefined;
  readonly refusal: string | undefined;
}

/**
 * The cause and the way around it: what everybody with such an incident needs. They are saved as a whole, on the
 * version that they began with.
 */
export function Findings({ problem, ifMatch, refusal }: FindingsProps) {
  const [base, setBase] = useState(ifMatch);
  const [kept, setKept] = useState({
    rootCause: problem.rootCause ?? "",
    workaround: problem.workaround ?? "",
  });
  const [draft, setDraft] = useState(kept);
  const [refused, setRefused] = useState<string>();
  const isChanged = draft.rootCause !== kept.rootCause || draft.workaround !== kept.workaround;
  const isClosed = problem.state === "closed";
  const why = refusal ?? (isClosed ? "It is closed." : undefined);
  const save = async (): Promise<void> => {
    if (!isChanged || why !== undefined) return;
    const body = { rootCause: draft.rootCause || null, workaround: draft.workaround || null };
    const options = {
      ...(base !== undefined && { ifMatch: base }),
      onAnswer: (answer: Pick<Response, "headers">) =>
        setBase(answer.headers.get("etag") ?? undefined),
    };
    try {
      await call("problems.update", { params: { id: problem.id }, body }, options);
      setKept(draft);
      setRefused(undefined);
      invalidate(["problems.", "tickets."]);
      notify("Cause and workaround are saved");
    } catch (error) {
      setRefused(describeRefusal(error));
    }
  };
  useActions([
    {
      keys: "mod+s",
      label: "Save cause and workaround",
      run: () => void save(),
      always: true,
      disabled: why,
    },
  ]);
  const area = (name: keyof typeof draft, label: string, help: string) => (
    <Field label={label} help={help}>
      {(attributes) => (
        <textarea
          {...attributes}
          className="field"
          rows={4}
          disabled={why !== undefined}
          value={draft[name]}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <section className="findings" aria-label="Cause and workaround">
      {refused !== undefined && (
        <p className="problem" role="alert">
          {refused}
        </p>
      )}
      {area("rootCause", "Cause", "Why it happens.")}
      {area(
        "workaround",
        "Workaround",
        "How to get by until it is mended. It stands on every incident that is linked.",
      )}
      <p className="findings-foot">
        <button
          className="btn main"
          disabled={!isChanged || why !== undefined}
          title={why}
          onClick={() => void save()}
        >
          Save <Keys keys="mod+s" />
        </button>
        {isChanged && (
          <button className="btn" onClick={() => setDraft(kept)}>
            Leave it
          </button>
        )}
      </p>
    </section>
  );
}
