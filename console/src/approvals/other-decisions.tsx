import { Link } from "@tanstack/react-router";
import type { WaitingEntry } from "../data/waiting/waiting-entry.ts";
import { AnswerList, useRequestAnswers } from "../desk/index.ts";
import { Ago } from "../ui/time.tsx";

/** Pending requests, changes and agent calls, which are decided on their own pages. */
export function OtherDecisions({ entries }: { readonly entries: readonly WaitingEntry[] }) {
  return (
    <ul className="approval-others" aria-label="Requests, changes and agent actions">
      {entries.map((entry) => (
        <Decision key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function Decision({ entry }: { readonly entry: WaitingEntry }) {
  const { id, text, about, to, search, at } = entry;
  const asked = useRequestAnswers(id.startsWith("REQ") ? id : undefined);
  return (
    <li>
      <p className="row">
        <Link to={to} search={search} className="link cut grow">
          {asked ? `${asked.requestedBy.name} requests ${text}` : text}
        </Link>
        <span className="muted">{about}</span>
        <Ago at={at} />
        <Link to={to} search={search} className="btn">
          Review
        </Link>
      </p>
      {asked && <AnswerList asked={asked} />}
    </li>
  );
}
