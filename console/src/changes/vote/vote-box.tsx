import { Check, X } from "lucide-react";
import { useRef, useState } from "react";
import { call } from "../../data/api.ts";
import { useActions } from "../../shell/actions.ts";
import { leaveField } from "../../shell/keys/focus-guard.ts";
import { Keys } from "../../ui/key.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { type Approvals, type Change, type Conflicts, hasConflicts } from "../change/use-change.ts";
import { VoteList } from "./vote-list.tsx";
import { describeHindrance, describeRule } from "./vote-words.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextArea } from "../../ui/form/controls.tsx";

interface VoteBoxProps {
  readonly change: Pick<Change, "id" | "number" | "state">;
  readonly approvals: Approvals | undefined;
  /** With any of them, an approval needs a comment. */
  readonly conflicts?: Conflicts | undefined;
  /** Called after a vote was counted. */
  readonly onVoted?: (() => void) | undefined;
}

/** Votes and the two keys for one's own. A vote is final: nothing is shown before the server has counted it. */
export function VoteBox({ change, approvals, conflicts, onVoted }: VoteBoxProps) {
  const [way, setWay] = useState<"agree" | "refuse">();
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const closeForm = (): void => {
    leaveField(box.current, box.current);
    setWay(undefined);
  };
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
      closeForm();
      setWords("");
      onVoted?.();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  const isInConflict = hasConflicts(conflicts);
  const approve = (): void => (isInConflict ? setWay("agree") : void vote(true));
  useActions(
    change.state === "submitted"
      ? [
          {
            keys: "y",
            label: "Approve",
            run: approve,
            disabled,
            // With a conflict, the comment is asked for instead.
            ...(!isInConflict && { asks: askBefore(change.number) }),
          },
          { keys: "n", label: "Reject with a reason", run: () => setWay("refuse"), disabled },
        ]
      : [],
  );
  return (
    <div ref={box} className="vote-box" role="group" aria-label="Your vote" tabIndex={-1}>
      {approvals && <VoteList approvals={approvals} />}
      {change.state === "submitted" && way === undefined && (
        <div className="vote-acts">
          <Button look="main" refusal={disabled} aria-keyshortcuts="y" onClick={approve}>
            <Check /> Approve <Keys keys="y" />
          </Button>
          <Button refusal={disabled} aria-keyshortcuts="n" onClick={() => setWay("refuse")}>
            <X /> Reject <Keys keys="n" />
          </Button>
          {why === undefined && !isInConflict && (
            <Button look="bare" onClick={() => setWay("agree")}>
              Approve with a comment
            </Button>
          )}
        </div>
      )}
      {way !== undefined && (
        <WordForm
          way={way}
          isInConflict={isInConflict}
          words={words}
          isBusy={isBusy}
          onWords={setWords}
          onSend={() => void vote(way === "agree")}
          onClose={closeForm}
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

const askBefore = (number: string) => ({
  title: `Approve ${number}?`,
  text: "Your vote can't be undone.",
  act: "Approve",
});

function WordForm(props: {
  readonly way: "agree" | "refuse";
  readonly isInConflict: boolean;
  readonly words: string;
  readonly isBusy: boolean;
  readonly onWords: (words: string) => void;
  readonly onSend: () => void;
  readonly onClose: () => void;
}) {
  const isRefusal = props.way === "refuse";
  const isRequired = isRefusal || props.isInConflict;
  const isReady = !props.isBusy && (!isRequired || props.words.trim() !== "");
  const label = isRefusal
    ? "Reason for the rejection"
    : props.isInConflict
      ? "Why approve it in spite of the conflict"
      : "Comment";
  return (
    <form
      className="vote-acts"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) props.onSend();
      }}
    >
      <TextArea
        autoFocus
        rows={3}
        maxLength={2_000}
        aria-label={label}
        placeholder={`${label}. The requester reads it.`}
        value={props.words}
        onChange={({ target }) => props.onWords(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onClose();
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          if (isReady) props.onSend();
        }}
      />
      <Button look="main" disabled={!isReady}>
        {isRefusal ? "Reject" : "Approve"} <Keys keys="Enter" />
      </Button>
      <Button look="bare" type="button" onClick={props.onClose}>
        Back
      </Button>
    </form>
  );
}
