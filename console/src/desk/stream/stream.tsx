import "./stream.css";
import { FileText, Lock, Mail, Workflow } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "@tanstack/react-router";
import { UndoButton } from "../../events/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ThenButton } from "../../ui/display/then-button.tsx";
import { Ago } from "../../ui/time.tsx";
import { AnswerList, useRequestAnswers } from "../request/request-answers.tsx";
import type { Ticket } from "../ticket-kind.ts";
import type { Done, Filed, Said, StreamEntry } from "./moments.ts";
import { FilePiece } from "./file-piece.tsx";
import { TextBody } from "./text-body.tsx";
import { Button } from "../../ui/form/button.tsx";

interface StreamProps {
  readonly ticket: Ticket;
  readonly entries: readonly StreamEntry[];
  readonly callerName: string | undefined;
  /** Loads older entries, if there are any. */
  readonly onMore?: (() => void) | undefined;
  /** Shows the ticket at that time. */
  readonly onSee?: ((at: string) => void) | undefined;
  /** True for a read-only view. */
  readonly isPast?: boolean;
}

/** The activity of a ticket: messages, changes and runs. Internal notes look different from replies. */
export function Stream(props: StreamProps) {
  const { ticket, entries, callerName, onMore, onSee, isPast = false } = props;
  const end = useRef<HTMLOListElement>(null);
  const lastId = entries.at(-1)?.id;
  const [seenId, setSeenId] = useState<string>();
  useLayoutEffect(() => {
    // Scrolls to the newest message on open and when a new one arrives.
    const box = end.current?.closest<HTMLElement>(".ticket-scroll");
    if (box && lastId !== undefined) box.scrollTop = box.scrollHeight;
  }, [lastId]);
  useEffect(() => {
    const timer = setTimeout(() => setSeenId(lastId), 1_500);
    return () => clearTimeout(timer);
  }, [lastId]);
  return (
    <ol ref={end} className="stream" aria-label="Timeline">
      {onMore && (
        <li className="stream-more">
          <Button look="bare" onClick={onMore}>
            Show earlier entries
          </Button>
        </li>
      )}
      <li className="said caller opening">
        <Avatar name={callerName} big />
        <div className="bubble">
          <p className="said-head">
            <strong>{callerName ?? "Unknown user"}</strong>
            <Ago at={ticket.createdAt} />
          </p>
          <Opening ticket={ticket} />
        </div>
      </li>
      {entries.map((entry) => (
        <Entry
          key={entry.id}
          {...{ entry, onSee, isPast }}
          isNew={seenId !== undefined && entry.id > seenId}
        />
      ))}
    </ol>
  );
}

/** The initial message: the form answers of a request, and the description. */
function Opening({ ticket }: { readonly ticket: Ticket }) {
  const { kind, number, description } = ticket;
  const asked = useRequestAnswers(kind === "request" ? number : undefined);
  const isEmpty = description === "" && (asked?.answers.length ?? 0) === 0;
  return (
    <>
      {asked && <AnswerList asked={asked} />}
      {description !== "" && <TextBody text={description} />}
      {isEmpty && (kind !== "request" || asked) && <p className="muted">No description.</p>}
    </>
  );
}

interface EntryProps<E extends StreamEntry> {
  readonly entry: E;
  readonly isNew: boolean;
  readonly isPast: boolean;
  readonly onSee: ((at: string) => void) | undefined;
}

function Entry({ entry, ...props }: EntryProps<StreamEntry>) {
  if (entry.sort === "said") return <SaidEntry entry={entry} isNew={props.isNew} />;
  if (entry.sort === "filed") return <FiledEntry entry={entry} />;
  return <DoneEntry entry={entry} {...props} />;
}

function SaidEntry({ entry, isNew }: { readonly entry: Said; readonly isNew: boolean }) {
  const who = entry.isInternal ? "internal" : entry.isByCaller ? "caller" : "agent";
  return (
    <li className={`said ${who}${isNew ? " fresh" : ""}`}>
      <Avatar name={entry.actor.name} big />
      <div className="bubble">
        <p className="said-head">
          <strong>{entry.actor.name}</strong>
          {entry.isInternal && (
            <span className="said-mark">
              <Lock className="ico" aria-hidden="true" /> Internal
            </span>
          )}
          {entry.isMail && <Mail className="ico" aria-label="By e-mail" />}
          {entry.duplicate !== undefined && <span className="tag">{entry.duplicate}</span>}
          {entry.label && <span className="tag ok">{entry.label}</span>}
          <Ago at={entry.at} />
        </p>
        <TextBody text={entry.body} />
      </div>
    </li>
  );
}

function DoneEntry({ entry, isPast, onSee }: EntryProps<Done>) {
  const isMachine = entry.actor.type === "workflow" || entry.actor.type === "system";
  const clauses = entry.clauses.filter((clause) => clause !== "");
  return (
    <li className={`done ${entry.tone}`}>
      <span className="done-dot">
        {isMachine && <Workflow className="ico" aria-hidden="true" />}
      </span>
      <span className="done-words">
        <b>{entry.actor.type === "system" ? "Millrace" : entry.actor.name}</b> {clauses.join(", ")}
        {entry.runId !== undefined && (
          <>
            {" "}
            <Link to="/runs/$id" params={{ id: entry.runId }} className="link">
              View run
            </Link>
          </>
        )}
      </span>
      {!isPast && <UndoButton events={entry.events} />}
      <ThenButton at={entry.until} onSee={onSee} />
    </li>
  );
}

function FiledEntry({ entry }: { readonly entry: Filed }) {
  return (
    <li className="done filed">
      <span className="done-dot">
        <FileText className="ico" aria-hidden="true" />
      </span>
      <span className="done-words">
        <b>{entry.actor.name}</b> attached
        {entry.duplicate !== undefined && ` to ${entry.duplicate}`}
        <span className="filed-list">
          {entry.files.map((file) => (
            <FilePiece key={file.id} file={file} />
          ))}
        </span>
      </span>
      <Ago at={entry.at} />
    </li>
  );
}
