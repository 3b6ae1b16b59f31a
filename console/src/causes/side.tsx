import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { toFieldName } from "../ui/readable/readable.ts";
import { State } from "../ui/state.tsx";
import { EventData } from "../events/index.ts";
import type { CauseNode, CauseRow } from "./cause-tree.ts";
import { nameNode, Split } from "./cause-tree-view.tsx";
import { screenOf } from "./screen.ts";
import { toExactTime } from "../ui/words.ts";

/** The chosen thing: what it says, what it changed, and the ways on from it. */
export function CauseSide({
  row,
  onOpen,
}: {
  readonly row: CauseRow;
  readonly onOpen: () => void;
}) {
  const { node } = row;
  return (
    <aside className="scroll causes-side" aria-label="Details">
      <header>
        <h2 className="cut">
          {node.fan && `${node.fan.count} × `}
          {nameNode(node)}
        </h2>
        {node.status && <State state={node.status} />}
      </header>
      <NodeFacts node={node} />
      <p className="row cause-ways">
        <ScreenLink node={node} />
        {node.resource && node.resource.type !== "run" && !node.focus && (
          <Link className="btn" to="/causes/$of" params={{ of: node.resource.id }}>
            Follow {node.resource.number ?? node.resource.type}
          </Link>
        )}
        {node.fan && !node.fan.open && (
          <button className="btn" onClick={onOpen}>
            Show all {node.fan.count}
          </button>
        )}
      </p>
      {node.fan && <FanSample node={node} />}
      {node.kind === "event" && <SaidData id={node.id} />}
    </aside>
  );
}

function ScreenLink({ node }: { readonly node: CauseNode }) {
  const screen = screenOf(node);
  if (!screen) return null;
  const words =
    screen.to === "/workflows/$id"
      ? "Open the workflow"
      : "search" in screen
        ? "Open the step that did it"
        : "Open the run";
  return (
    <Link className="btn" {...screen}>
      {words}
    </Link>
  );
}

function NodeFacts({ node }: { readonly node: CauseNode }) {
  const { resource } = node;
  return (
    <dl className="cause-facts">
      <dt>When</dt>
      <dd>
        <time dateTime={node.at}>{toExactTime(node.at)}</time>
      </dd>
      {node.actor && (
        <>
          <dt>By</dt>
          <dd>{node.actor.name}</dd>
        </>
      )}
      {node.stepId !== undefined && (
        <>
          <dt>Step</dt>
          <dd className="mono">{node.stepId}</dd>
        </>
      )}
      {resource && (
        <>
          <dt>{toFieldName(resource.type)}</dt>
          <dd>
            {resource.number} {resource.displayName ?? resource.id}
          </dd>
        </>
      )}
      {!node.fan && (
        <>
          <dt>Id</dt>
          <dd className="mono">{node.id}</dd>
        </>
      )}
    </dl>
  );
}

function FanSample({ node }: { readonly node: CauseNode }) {
  const { fan } = node;
  if (!fan) return null;
  return (
    <section>
      <h3>The first of them</h3>
      <Split statuses={fan.statuses} />
      <ul className="cause-members">
        {fan.sample.map(({ id, label }) => (
          <li key={id}>
            {fan.kind === "run" ? (
              <Link to="/runs/$id" params={{ id }}>
                <span className="cut grow">{label}</span>
                <span className="mono muted">{id.slice(-6)}</span>
              </Link>
            ) : (
              <Link to="/causes/$of" params={{ of: id }}>
                <span className="cut grow">{label}</span>
                <span className="mono muted">{id.slice(-6)}</span>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the event says: its changes as before and after, or its data. */
function SaidData({ id }: { readonly id: string }) {
  const mayRead = useMay()("audit:read");
  const { data, error } = useOp("audit.get", { params: { eventId: id } }, { enabled: mayRead });
  if (!mayRead)
    return <p className="muted">Its data is shown to those who may read the audit log.</p>;
  if (error) return <ErrorNotice error={error} />;
  const event = data?.data.id === id ? data.data : undefined;
  if (!event) return <Loading rows={4} />;
  return <EventData data={event.data} />;
}
