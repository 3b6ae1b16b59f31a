import { Link, useNavigate } from "@tanstack/react-router";
import { Vote, X } from "lucide-react";
import { useNames } from "../../data/names/names.ts";
import { useActions } from "../../shell/actions.ts";
import { Keys } from "../../ui/key.tsx";
import { State } from "../../ui/state.tsx";
import { toWords } from "../../ui/words.ts";
import { ConflictList } from "../change/conflict-list.tsx";
import { RiskReasons, RiskTag } from "../change/risk.tsx";
import { useApprovals, useConflicts } from "../change/use-change.ts";
import { VoteList } from "../vote/vote-list.tsx";
import type { PlannedChange } from "./planned-change.ts";
import { toSpan } from "./days.ts";
import { Button } from "../../ui/form/button.tsx";

/** A change in the calendar's side panel: time, conflicts, risk and approvals. */
export function Preview(props: { readonly change: PlannedChange; readonly onClose: () => void }) {
  const { change } = props;
  const { id, number, title, state, type, risk, plannedStart, plannedEnd } = change;
  const navigate = useNavigate();
  const nameOf = useNames();
  const conflicts = useConflicts(id);
  const approvals = useApprovals(id);
  const isWaiting = state === "submitted";
  useActions([
    {
      keys: "Enter",
      label: "Open change",
      run: () => void navigate({ to: "/changes/$id", params: { id: number } }),
      within: ".calendar-scroll",
    },
    {
      keys: "b",
      label: "Open on change board",
      run: () => void navigate({ to: "/changes/board", search: isWaiting ? { open: id } : {} }),
    },
  ]);
  return (
    <aside className="calendar-side scroll" aria-label={title} tabIndex={0}>
      <header>
        <div className="grow">
          <p className="mono muted">{number}</p>
          <h2>
            <Link to="/changes/$id" params={{ id: number }}>
              {title}
            </Link>
          </h2>
        </div>
        <Button look="bare" isIcon aria-label="Close" onClick={props.onClose}>
          <X />
        </Button>
      </header>
      <p className="row">
        <State state={state} />
        <RiskTag level={risk.level} />
      </p>
      <dl className="change-facts">
        <div>
          <dt>Planned</dt>
          <dd>{toSpan(plannedStart, plannedEnd)}</dd>
        </div>
        <div>
          <dt>Type</dt>
          <dd>{toWords(type)}</dd>
        </div>
        <div>
          <dt>Assignee</dt>
          <dd>{nameOf(change.assigneeId) ?? nameOf(change.teamId) ?? "Unassigned"}</dd>
        </div>
      </dl>
      <ConflictList conflicts={change.conflicts > 0 ? conflicts : undefined} />
      <RiskReasons level={risk.level} reasons={risk.reasons} />
      {approvals && approvals.required > 0 && (
        <section>
          <VoteList approvals={approvals} />
        </section>
      )}
      <div className="calendar-ways">
        <Link className="btn" to="/changes/$id" params={{ id: number }}>
          Open <Keys keys="Enter" />
        </Link>
        {isWaiting && (
          <Link className="btn" to="/changes/board" search={{ open: id }}>
            <Vote /> Open on board <Keys keys="b" />
          </Link>
        )}
      </div>
    </aside>
  );
}
