import "../changes.css";
import "./change-page.css";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, Ellipsis } from "lucide-react";
import { etagOf, useOp } from "../../data/api.ts";
import { ActionDialog } from "../../data/tickets/action-dialog.tsx";
import { TicketLinks } from "../../data/tickets/ticket-links.tsx";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { TaskList } from "../../tasks/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { toSpan } from "../calendar/days.ts";
import { ChangeForm } from "../form/change-form.tsx";
import { ChangeFacts } from "./change-facts.tsx";
import { CommentBox } from "./comment-box.tsx";
import { ConflictList } from "./conflict-list.tsx";
import { History } from "./history.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { Plan } from "./plan.tsx";
import { RiskReasons, RiskTag } from "./risk.tsx";
import { useStartWarnings } from "./start-warnings.ts";
import { type Change, useApprovals, useConflicts } from "./use-change.ts";
import { PageBanner } from "../../oncall/index.ts";
import { type OfferedAct, useChangeActs } from "./use-change-acts.ts";
import { VoteBox } from "../vote/vote-box.tsx";
import { Button } from "../../ui/form/button.tsx";

/** The page of a change: plan, risk, conflicts, approvals, and the actions of its state. */
export function ChangePage() {
  const { id } = useParams({ from: "/inside/changes/$id" });
  const input = { params: { id } };
  const { data, error, isPending, refetch } = useOp("changes.get", input);
  const change = data?.data;
  useTitle(change && `${change.number} ${change.title}`);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page paper">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {change && (change.id === id || change.number === id) && (
        <ChangeSheet key={change.id} change={change} ifMatch={etagOf("changes.get", input)} />
      )}
    </div>
  );
}

interface SheetProps {
  readonly change: Change;
  readonly ifMatch: string | undefined;
}

function ChangeSheet({ change, ifMatch }: SheetProps) {
  const conflicts = useConflicts(change.id);
  const approvals = useApprovals(change.id);
  const warnings = useStartWarnings(change);
  const { acts, open, etag, ticket, close } = useChangeActs(change);
  return (
    <>
      <header className="page-head change-head">
        <Link
          className="btn bare icon"
          aria-label="Changes"
          to="/changes"
          search={{ open: change.id }}
        >
          <ArrowLeft />
        </Link>
        <span className="mono muted">{change.number}</span>
        <State state={change.state} />
        <span className="change-head-risk">
          <RiskTag level={change.risk.level} />
        </span>
        <span className="grow" />
        <ActBar acts={acts} />
      </header>
      <div className="scroll change-page" tabIndex={0} role="region" aria-label={change.title}>
        <article className="change-main">
          <h1>{change.title}</h1>
          <p className="change-when">{toSpan(change.plannedStart, change.plannedEnd)}</p>
          {change.state === "rejected" && change.rejectionReason !== null && (
            <p className="notice change-refused">Rejected: {change.rejectionReason}</p>
          )}
          <h2 className="hide">Plan</h2>
          <PageBanner ticketId={change.id} />
          <ConflictList conflicts={conflicts} />
          <Plan change={change} />
          <TaskList kind="change" ticketId={change.id} refusal={whyNoTasks(change)} />
          <section aria-label="History">
            <h3>Activity</h3>
            <CommentBox id={change.id} />
            <History id={change.id} number={change.number} />
          </section>
        </article>
        <aside className="change-side" aria-label="Details">
          {change.state !== "draft" && <VoteBox {...{ change, approvals, conflicts }} />}
          <ChangeFacts change={change} />
          <TicketLinks ticket={{ kind: "change", id: change.id, number: change.number }} />
          <RiskReasons level={change.risk.level} reasons={change.risk.reasons} />
        </aside>
      </div>
      {open?.id === "edit" && <ChangeForm change={change} ifMatch={ifMatch} onClose={close} />}
      {open?.id === "move" && <MoveDialog change={change} onClose={close} />}
      {open?.fields && (
        <ActionDialog
          action={open}
          ticket={ticket}
          version={{ etag }}
          warnings={open.needsReason ? warnings : []}
          onClose={close}
        />
      )}
    </>
  );
}

const OVER: readonly string[] = ["completed", "rolled_back", "cancelled", "rejected", "closed"];

const whyNoTasks = ({ state }: Change): string | undefined =>
  OVER.includes(state) ? "The change has ended." : undefined;

function ActBar({ acts }: { readonly acts: readonly OfferedAct[] }) {
  const main = acts.filter(({ isMain }) => isMain);
  const others = acts.filter(({ isMain }) => !isMain);
  return (
    <>
      {others.length > 0 && (
        <Menu
          label="More actions"
          items={others.map((act) => ({
            label: act.label,
            keys: act.keys,
            disabled: act.disabled,
            onPick: act.run,
          }))}
        >
          <Ellipsis />
        </Menu>
      )}
      {main.map((act) => (
        <Button
          look="main"
          refusal={act.disabled}
          key={act.id}
          aria-keyshortcuts={act.keys}
          onClick={act.run}
        >
          {act.label} {act.keys && <Keys keys={act.keys} />}
        </Button>
      ))}
    </>
  );
}
