import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { ticketPath } from "../../desk/index.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { toWords } from "../../ui/words.ts";
import type { Mailbox } from "./mailbox-draft.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

type Message = Schemas["MailMessage"];
type State = Message["state"];

const VERDICTS: Readonly<Record<State, readonly [string, string]>> = {
  waiting: ["Waiting", "wait"],
  received: ["Received", "ok"],
  ignored: ["Ignored", "idle"],
  bounced: ["Bounced", "warn"],
  failed: ["Failed", "bad"],
};
const STATES = Object.keys(VERDICTS) as readonly State[];

/** Received e-mails, newest first, with the processing result and its reason. */
export function MessageList({ mailbox }: { readonly mailbox: Mailbox }) {
  const [state, setState] = useState<State>();
  const { data, error, isPending, refetch } = useOp("mailboxes.list_messages", {
    params: { id: mailbox.id },
    query: { limit: 50, ...(state !== undefined && { state }) },
  });
  return (
    <>
      <div className="tabs mail-states" role="group" aria-label="Filter by state">
        <PlainButton aria-pressed={state === undefined} onClick={() => setState(undefined)}>
          All
        </PlainButton>
        {STATES.map((one) => (
          <PlainButton key={one} aria-pressed={state === one} onClick={() => setState(one)}>
            {VERDICTS[one][0]}
          </PlainButton>
        ))}
      </div>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {data?.data.length === 0 && (
        <Empty title="No e-mails yet">
          Send an e-mail to {mailbox.address} to test the mailbox.
        </Empty>
      )}
      <ul className="mails">
        {data?.data.map((message) => (
          <MessageLine key={message.id} message={message} />
        ))}
      </ul>
    </>
  );
}

function MessageLine({ message }: { readonly message: Message }) {
  const may = useMay();
  const { id, mailboxId, state, subject, from, fromName, ticket, createdAt } = message;
  const [word, tone] = VERDICTS[state];
  const retry = useCommand("mailboxes.retry_message", { said: "The e-mail is processed again" });
  const why = [message.reason && toWords(message.reason), message.detail].filter(Boolean);
  return (
    <li className="mail">
      <span className={`tag ${tone}`}>{word}</span>
      <span className="grow mail-words">
        <strong className="cut">{subject || "No subject"}</strong>
        <span className="muted cut">
          {fromName ?? from ?? "Unknown sender"} {why.length > 0 && `· ${why.join(": ")}`}
          {message.notices.length > 0 && ` · ${message.notices.join(", ")}`}
        </span>
      </span>
      {ticket && (
        <Link to={ticketPath(ticket.number)} className="mono">
          {ticket.number}
        </Link>
      )}
      {state === "failed" && may("mailboxes.retry_message") && (
        <CommandButton
          command={retry}
          onPress={() => void retry.run({ params: { id: mailboxId, mailId: id } })}
        >
          Retry
        </CommandButton>
      )}
      <Ago at={createdAt} />
    </li>
  );
}
