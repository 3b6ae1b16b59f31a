import "../changes.css";
import "./board.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { useTitle } from "../../shell/title.ts";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { toSpan } from "../calendar/days.ts";
import { ConflictList } from "../change/conflict-list.tsx";
import { Plan } from "../change/plan.tsx";
import { RiskReasons, RiskTag } from "../change/risk.tsx";
import { type Change, useApprovals, useConflicts } from "../change/use-change.ts";
import { VoteBox } from "../vote/vote-box.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

const AGENDA_MAX = 200;

/** Prepares a change advisory meeting: upcoming changes, their impact and their votes. */
export function Board() {
  const { open } = useSearch({ from: "/inside/changes/board" });
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const query = { state: "submitted", sort: "plannedStart", limit: AGENDA_MAX };
  const { data, error, isPending, refetch } = useOp("changes.list", { query });
  const agenda = data?.data ?? [];
  const asked = agenda.find(({ id }) => id === open);
  const change = asked ?? (isNarrow ? undefined : agenda[0]);
  useTitle("Change board");
  const show = (id: string | undefined): void =>
    void navigate({
      to: "/changes/board",
      search: id === undefined ? {} : { open: id },
      replace: true,
    });
  useListKeys({ ids: agenda.map(({ id }) => id), chosen: change?.id, onChoose: show });
  return (
    <div className="page paper">
      <header className="page-head">
        <Link className="btn bare icon" aria-label="Changes" to="/changes" search={{}}>
          <ArrowLeft />
        </Link>
        <h1>Change board</h1>
        {data && (
          <span className="muted">
            {count(agenda.length, "change is", "changes are")} waiting for approval
          </span>
        )}
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {data && agenda.length === 0 && (
        <Empty title="No changes to approve">
          Submitted changes appear here until they are approved or rejected.
        </Empty>
      )}
      {agenda.length > 0 && (
        <div className={asked ? "board has-open" : "board"}>
          <Agenda changes={agenda} chosen={change?.id} onOpen={show} />
          {change && <Item key={change.id} change={change} onBack={() => show(undefined)} />}
        </div>
      )}
    </div>
  );
}

function Agenda(props: {
  readonly changes: readonly Change[];
  readonly chosen: string | undefined;
  readonly onOpen: (id: string) => void;
}) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [props.chosen]);
  return (
    <nav ref={list} className="scroll agenda" aria-label="Agenda" tabIndex={0}>
      {props.changes.map(({ id, title, risk, plannedStart, plannedEnd, ...change }) => (
        <PlainButton
          key={id}
          className={risk.level}
          aria-current={id === props.chosen ? "true" : undefined}
          onClick={() => props.onOpen(id)}
        >
          <span className="grow">
            <strong className="cut">{title}</strong>
            <span className="muted">{toSpan(plannedStart, plannedEnd)}</span>
          </span>
          <Seats given={change.approvalsGiven} required={change.approvalsRequired} />
        </PlainButton>
      ))}
    </nav>
  );
}

const SEATS_MAX = 5;

/** A dot per required vote; larger numbers as text. */
function Seats({ given, required }: { readonly given: number; readonly required: number }) {
  if (required > SEATS_MAX) return <span className="muted">{`${given}/${required}`}</span>;
  return (
    <span className="seats" role="img" aria-label={`${given} of ${required} approved`}>
      {Array.from({ length: required }, (_, n) => (
        <i key={n} className={n < given ? "given" : ""} />
      ))}
    </span>
  );
}

function Item({ change, onBack }: { readonly change: Change; readonly onBack: () => void }) {
  const nameOf = useNames();
  const conflicts = useConflicts(change.id);
  const approvals = useApprovals(change.id);
  return (
    <>
      <article className="scroll board-main" tabIndex={0} aria-label={change.title}>
        <Button look="bare" className="board-back" onClick={onBack}>
          <ArrowLeft /> Agenda
        </Button>
        <p className="row board-about">
          <span className="mono muted">{change.number}</span>
          <RiskTag level={change.risk.level} />
          {change.type === "emergency" && <span className="tag bad">Emergency</span>}
          <span className="muted">requested by {nameOf(change.requestedBy) ?? "unknown user"}</span>
        </p>
        <h2>
          <Link to="/changes/$id" params={{ id: change.number }}>
            {change.title}
          </Link>
        </h2>
        <p className="board-when">{toSpan(change.plannedStart, change.plannedEnd)}</p>
        <ConflictList conflicts={conflicts} />
        <Plan change={change} />
        <RiskReasons level={change.risk.level} reasons={change.risk.reasons} />
      </article>
      <aside className="scroll board-side" aria-label="Approvals" tabIndex={0}>
        <VoteBox {...{ change, approvals, conflicts }} />
      </aside>
    </>
  );
}
