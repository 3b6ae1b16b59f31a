import { type RefObject, useEffect } from "react";
import type { Ticket } from "../ticket-kind.ts";
import { useCaller } from "../use-caller.ts";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { type LetterOptions, useLetter } from "./use-letter.ts";
import { useLetterCompletion } from "./use-letter-completion.ts";

interface LetterComposerProps extends LetterOptions {
  readonly ticket: Ticket;
  readonly handle: RefObject<ComposerHandle | null>;
  readonly disabled: string | undefined;
  readonly canResolve: boolean;
  readonly callerName: string | undefined;
  readonly writers: readonly string[];
  /** Reports whether there is unsent text; must be a stable function. */
  readonly onWriting: (isWriting: boolean) => void;
}

/** The reply box with its state. The message is local state, so that typing does not re-render the ticket. */
export function LetterComposer(props: LetterComposerProps) {
  const { ticket, stream, isRead, onNext, onWriting, callerName } = props;
  const letter = useLetter(ticket, { stream, isRead, onNext });
  const completion = useLetterCompletion(ticket);
  const caller = useCaller(ticket.callerId);
  const isUnreachable = caller?.name !== undefined && caller.isContact && !caller.address;
  const { isWriting } = letter;
  useEffect(() => onWriting(isWriting), [onWriting, isWriting]);
  return (
    <Composer
      handle={props.handle}
      letter={letter.letter}
      onChange={letter.change}
      onSend={letter.send}
      isBusy={letter.isBusy}
      disabled={props.disabled}
      canResolve={props.canResolve}
      callerName={callerName?.split(" ")[0]}
      notice={
        isUnreachable
          ? `${caller.name} has no e-mail address. The reply is only saved in the ticket.`
          : undefined
      }
      unseen={letter.unseen}
      isWarned={letter.isWarned}
      writers={props.writers}
      completion={completion}
      files={letter.files.files}
      onFiles={letter.files.add}
      onDropFile={letter.files.drop}
    />
  );
}
