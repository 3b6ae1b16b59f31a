import { Check, X } from "lucide-react";
import { useState } from "react";
import { call, invalidate } from "../../data/api.ts";
import { useActions } from "../../shell/actions.ts";
import { Keys } from "../../ui/key.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import type { Approvals, Change } from "../change/use-change.ts";
import { VoteList } from "./vote-list.tsx";
import { describeHindrance, describeRule } from "./vote-words.ts";

interface VoteBoxProps {
  readonly change: Pick<Change, "id" | "number" | "state">;
  readonly approvals: Approvals | undefined;
  /** Called after a vote was counted. */
  readonly onVoted?: (() => void) | undefined;
}

/** Votes and the two keys for one's own. A vote is final: nothing is shown before the server has counted it. */
export function VoteBox({ change, approvals, onVoted }: VoteBoxProps) {
  const [way, setWay] = useState<"agree" | "refuse">();
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const why = describeHindrance(approvals);
  const disabled = isBusy ? "One moment." : why;
  const vote = async (isAgreed: boolean): Promise<void> => {
    const said = words.trim();
    setBusy(true);
    const params = { id: change.id };
    try {
      if (isAgreed) {
        await call("changes.approve", { params, body: said === "" ? {} : { comment: said } });
      } else await call("changes.reject", { params, body: { reason: said } });
      notify(isAgreed ? `You agreed to ${change.number}.` : `You refused ${change.number}.`);
      setWay(undefined);
      setWords("");
      invalidate(["changes.", "home."]);
      onVoted?.();
    } catch (error) {
      notifyError(error);
      invalidate(["changes."]);
    } finally {
      setBusy(false);
    }
  };
  useActions(
    change.state === "submitted"
      ? [
          {
            keys: "y",
            label: "Approve",
            run: () => void vote(true),
            disabled,
            asks: {
              title: `Approve ${change.number}?`,
              text: "Your vote can't be undone.",
              act: "Approve",
            },
          },
          { keys: "n", label: "Reject with a reason", run: () => setWay("refuse"), disabled },
        ]
      : [],
  );
  return (
    <div className="vote-box">
      {approvals && <VoteList approvals={approvals} />}
      {change.state === "submitted" && way === undefined && (
        <div className="vote-acts">
          <button
            className="btn main"
            disabled={disabled !== undefined}
            title={disabled}
            aria-keyshortcuts="y"
            onClick={() => void vote(true)}
          >
            <Check /> Approve <Keys keys="y" />
          </button>
          <button
            className="btn"
            disabled={disabled !== undefined}
            title={disabled}
            aria-keyshortcuts="n"
            onClick={() => setWay("refuse")}
          >
            <X /> Reject <Keys keys="n" />
          </button>
          {why === undefined && (
            <button className="btn bare" onClick={() => setWay("agree")}>
              Approve with a comment
            </button>
          )}
        </div>
      )}
      {way !== undefined && (
        <WordForm
          way={way}
          words={words}
          isBusy={isBusy}
          onWords={setWords}
          onSend={() => void vote(way === "agree")}
          onClose={() => setWay(undefined)}
        />
      )}
      {change.state === "submitted" && approvals && (
        <p className="muted vote-rule">
          {why !== undefined && <strong>{why} </strong>}
          {describeRule(approvals)}
        </p>
      )}
    </div>
  );
}

function WordForm(props: {
  readonly way: "agree" | "refuse";
  readonly words: string;
  readonly isBusy: boolean;
  readonly onWords: (words: string) => void;
  readonly onSend: () => void;
  readonly onClose: () => void;
}) {
  const isRefusal = props.way === "refuse";
  const isReady = !props.isBusy && (!isRefusal || props.words.trim() !== "");
  return (
    <form
      className="vote-acts"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) props.onSend();
      }}
    >
      <textarea
        className="field"
        autoFocus
        rows={3}
        maxLength={2_000}
        aria-label={isRefusal ? "Why not?" : "A word with it"}
        placeholder={
          isRefusal
            ? "Why not? Whoever asked for it will read it."
            : "Whoever asked for it will read it."
        }
        value={props.words}
        onChange={({ target }) => props.onWords(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onClose();
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          if (isReady) props.onSend();
        }}
      />
      <button className="btn main" disabled={!isReady}>
        {isRefusal ? "Reject" : "Approve"} <Keys keys="Enter" />
      </button>
      <button type="button" className="btn bare" onClick={props.onClose}>
        Back
      </button>
    </form>
  );
}
