import { useNames } from "../../data/names/names.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { State } from "../../ui/state.tsx";
import type { Approvals } from "../change/use-change.ts";

/** Votes since the change was last submitted, and the people who have not voted yet. */
export function VoteList({ approvals }: { readonly approvals: Approvals }) {
  const nameOf = useNames();
  const { votes, pending, round, given, required } = approvals;
  const named = (id: string): string => nameOf(id) ?? "Unknown user";
  return (
    <>
      <h3>
        {given} of {required} approved
      </h3>
      <ul className="votes" aria-label="Approvals">
        {votes
          .filter((vote) => vote.round === round)
          .map(({ id, userId, approverId, comment, decision }) => (
            <li key={id}>
              <Avatar name={named(userId)} big />
              <span className="grow">
                {named(userId)}
                {approverId !== userId && <span className="muted"> for {named(approverId)}</span>}
                {comment !== "" && <q>{comment}</q>}
              </span>
              <State state={decision} label={decision === "approved" ? "Approved" : "Rejected"} />
            </li>
          ))}
        {pending.map(({ approverId, userId }) => (
          <li key={approverId}>
            <Avatar name={named(userId)} big />
            <span className="grow">
              {named(userId)}
              {approverId !== userId && <span className="muted"> for {named(approverId)}</span>}
            </span>
            <span className="muted">Pending</span>
          </li>
        ))}
      </ul>
    </>
  );
}
