import "./mail.css";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { NEW, Shelf, useOpen } from "../frame/shelf.tsx";
import type { Mailbox } from "./mailbox-draft.ts";
import { MailboxEditor } from "./mailbox-editor.tsx";
import { MessageList } from "./message-list.tsx";

/** The mailboxes of teams: their settings, and the processing result of each e-mail. */
export function Mailboxes() {
  const { data, error, isPending, refetch } = useOp("mailboxes.list", { query: { limit: 100 } });
  const [open] = useOpen();
  const mailboxes = data?.data ?? [];
  const mailbox = mailboxes.find(({ id }) => id === open);
  return (
    <Shelf
      label="Mailboxes"
      make="New mailbox"
      refusal={useRefusal("mailboxes.create")}
      nothing="Each e-mail to a mailbox creates a ticket or adds a comment to one."
      items={mailboxes.map((one) => ({
        id: one.id,
        label: one.name,
        about: one.address,
        mark: <Health mailbox={one} />,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {open === NEW && <MailboxEditor key={NEW} mailbox={undefined} />}
      {mailbox && <OpenMailbox key={open} mailbox={mailbox} />}
    </Shelf>
  );
}

function Health({ mailbox }: { readonly mailbox: Mailbox }) {
  if (!mailbox.enabled) return <span className="tag idle">Disabled</span>;
  if (mailbox.pollError !== null) {
    return (
      <span className="tag bad" title={mailbox.pollError}>
        Error
      </span>
    );
  }
  return <span className="tag ok">{mailbox.kind === "imap" ? "Polling" : "Listening"}</span>;
}

const TABS = [
  { id: "mails", label: "Recent e-mails" },
  { id: "set-up", label: "Settings" },
] as const;

function OpenMailbox({ mailbox }: { readonly mailbox: Mailbox }) {
  const [tab, setTab] = useState<(typeof TABS)[number]["id"]>("set-up");
  return (
    <Tabs label={mailbox.name} tabs={TABS} chosen={tab} onChoose={setTab}>
      {tab === "mails" ? <MessageList mailbox={mailbox} /> : <MailboxEditor mailbox={mailbox} />}
    </Tabs>
  );
}
