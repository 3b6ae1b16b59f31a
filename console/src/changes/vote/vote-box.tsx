import { Check, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useForm } from "../../data/form/use-form.ts";
import { useCommand } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { leaveField } from "../../shell/keys/focus-guard.ts";
import { Keys } from "../../ui/key.tsx";
import { type Approvals, type Change, type Conflicts, hasConflicts } from "../change/use-change.ts";
import { VoteList } from "./vote-list.tsx";
import { describeHindrance, describeRule } from "./vote-words.ts";
import { Button } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";

interface VoteBoxProps {
  readonly change: Pick<Change, "id" | "number" | "state">;
  readonly approvals: Approvals | undefined;
  /** With any of them, an approval needs a comment. */
  readonly conflicts?: Conflicts | undefined;
  /** Called after the vote was counted. */
  readonly onVoted?: (() => void) | undefined;
}

/** The votes, and the buttons for the user's own vote. Votes are final, so they are not shown optimistically. */
export function VoteBox({ change, approvals, conflicts, onVoted }: VoteBoxProps) {
  const [way, setWay] = useState<Way>();
  const box = useRef<HTMLDivElement>(null);
  const closeForm = (): void => {
    leaveField(box.current, box.current);
    setWay(undefined);
  };
  const why = describeHindrance(approvals);
  const agree = useCommand("changes.approve", {
    refusal: why,
    said: `You approved ${change.number}.`,
    onDone: () => onVoted?.(),
  });
  const disabled = agree.isBusy ? "Saving…" : agree.refusal;
  const isInConflict = hasConflicts(conflicts);
  const approve = (): void =>
    isInConflict ? setWay("agree") : void agree.run({ params: { id: change.id }, body: {} });
  useActions(
    change.state === "submitted"
      ? [
          {
            keys: "y",
            label: "Approve",
            run: approve,
            disabled,
            // With a conflict, the form asks for a comment instead.
            ...(!isInConflict && { asks: askBefore(change.number) }),
          },
          { keys: "n", label: "Reject with reason", run: () => setWay("refuse"), disabled },
        ]
      : [],
  );
  return (
    <div ref={box} className="vote-box" role="group" aria-label="Your decision" tabIndex={-1}>
      {approvals && <VoteList approvals={approvals} />}
      {change.state === "submitted" && way === undefined && (
        <div className="vote-acts">
          <Button look="main" refusal={disabled} aria-keyshortcuts="y" onClick={approve}>
            <Check /> Approve <Keys keys="y" />
          </Button>
          <Button refusal={disabled} aria-keyshortcuts="n" onClick={() => setWay("refuse")}>
            <X /> Reject <Keys keys="n" />
          </Button>
          {disabled === undefined && !isInConflict && (
            <Button look="bare" onClick={() => setWay("agree")}>
              Approve with comment
            </Button>
          )}
        </div>
      )}
      {way !== undefined && (
        <WordForm
          change={change}
          way={way}
          isInConflict={isInConflict}
          onClose={closeForm}
          onVoted={onVoted}
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

type Way = "agree" | "refuse";

const askBefore = (number: string) => ({
  title: `Approve ${number}?`,
  text: "You can't undo your approval.",
  act: "Approve",
});

interface WordFormProps extends Pick<VoteBoxProps, "change" | "onVoted"> {
  readonly way: Way;
  readonly isInConflict: boolean;
  readonly onClose: () => void;
}

function WordForm({ change, way, isInConflict, onClose, onVoted }: WordFormProps) {
  const isRefusal = way === "refuse";
  const label = isRefusal
    ? "Reason for rejection"
    : isInConflict
      ? "Reason to approve despite the conflict"
      : "Comment";
  const form = useForm(isRefusal ? "changes.reject" : "changes.approve", {
    params: { id: change.id },
    check: ({ comment }) => ({
      comment: !isRefusal && isInConflict && !comment?.trim() ? `${label} is required.` : undefined,
    }),
    said: isRefusal ? `You rejected ${change.number}.` : `You approved ${change.number}.`,
    onDone: () => {
      onClose();
      onVoted?.();
    },
  });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <InlineForm
      form={form}
      label="Your decision"
      act={isRefusal ? "Reject" : "Approve"}
      keys="Enter"
      isMain
      onClose={onClose}
      others={
        <Button look="bare" type="button" onClick={onClose}>
          Back
        </Button>
      }
    >
      <TextAreaField
        {...form.field(isRefusal ? "reason" : "comment")}
        label={label}
        hidesLabel
        areaRef={field}
        rows={3}
        placeholder={`${label} (visible to the requester)`}
      />
    </InlineForm>
  );
}
