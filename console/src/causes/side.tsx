import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useMay, usePathOf } from "../data/people.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { toFieldName } from "../ui/readable/readable.ts";
import { State } from "../ui/state.tsx";
import { IdButton, KnownThings, ReadableEvent, ThingName } from "../events/index.ts";
import type { CauseNode, CauseRow } from "./cause-tree.ts";
import { type CauseWords, nameNode, Split } from "./cause-tree-view.tsx";
import { nameOwner, nameResource } from "./known-things.ts";
import { screenOf } from "./screen.ts";
import { toExactTime } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";

/** Shows data, changes and links for the selected node. */
export function CauseSide({
  row,
  words,
  onOpen,
}: {
  readonly row: CauseRow;
  readonly words: CauseWords;
  readonly onOpen: () => void;
}) {
  const { node } = row;
  const { resource, fan } = node;
  const isEvent = node.kind === "event";
  const mayRead = useMay()("audit.get");
  const input = { params: { eventId: node.id } };
  const { data: reply, error } = useOp("audit.get", input, { enabled: isEvent && mayRead });
  const data = reply?.data.id === node.id ? reply.data.data : undefined;
  return (
    <KnownThings value={words.things}>
      <aside className="scroll causes-side" aria-label="Details">
        <header>
          <h2 className="cut" title={isEvent ? node.type : undefined}>
            {fan && `${fan.count} × `}
            {nameNode(node)}
          </h2>
          {node.status && <State state={node.status} />}
        </header>
        <NodeFacts node={node} words={words} table={data?.["tableSlug"]} />
        <p className="row cause-ways">
          <ScreenLink node={node} />
          {resource && resource.type !== "run" && !node.focus && (
            <Link className="btn" to="/causes/$of" params={{ of: resource.id }}>
              Show causes of {resource.number ?? `the ${resource.type.replaceAll("_", " ")}`}
            </Link>
          )}
          {fan && !fan.open && <Button onClick={onOpen}>Show all {fan.count}</Button>}
        </p>
        {fan && <FanSample node={node} />}
        {isEvent && !mayRead && (
          <p className="muted">
            You don’t have permission to view the data of this event. It requires access to the
            audit log.
          </p>
        )}
        {isEvent && error && <ErrorNotice error={error} />}
        {isEvent && mayRead && !error && !data && <Loading rows={4} />}
        {data && (
          <ReadableEvent
            data={data}
            said={[resource?.id, resource?.number, resource?.displayName, node.at]}
          />
        )}
      </aside>
    </KnownThings>
  );
}

function ScreenLink({ node }: { readonly node: CauseNode }) {
  const screen = screenOf(node);
  if (!screen) return null;
  const words =
    screen.to === "/workflows/$id"
      ? "Open workflow"
      : "search" in screen
        ? "Open step"
        : "Open run";
  return (
    <Link className="btn" {...screen}>
      {words}
    </Link>
  );
}

function NodeFacts(props: {
  readonly node: CauseNode;
  readonly words: CauseWords;
  /** The record's table slug from the event. */
  readonly table: unknown;
}) {
  const { node, words } = props;
  const { resource, actor, runId, stepId, ofId } = node;
  return (
    <dl className="cause-facts">
      <dt>Time</dt>
      <dd>
        <time dateTime={node.at}>{toExactTime(node.at)}</time>
      </dd>
      {actor && (
        <>
          <dt>By</dt>
          <dd>{words.things.has(actor.id) ? <ThingName id={actor.id} /> : actor.name}</dd>
        </>
      )}
      {stepId !== undefined && (
        <>
          <dt>Step</dt>
          <dd>
            {runId === undefined ? (
              stepId
            ) : (
              <Link
                className="link"
                to="/runs/$id"
                params={{ id: runId }}
                search={{ step: stepId }}
                title={stepId}
              >
                {words.nameStep(runId, stepId)}
              </Link>
            )}
          </dd>
        </>
      )}
      {resource && (
        <>
          <dt>{toFieldName(resource.type)}</dt>
          <dd>
            <ResourceName node={node} words={words} table={props.table} />
          </dd>
        </>
      )}
      {ofId !== undefined && (
        <>
          <dt>{nameOwner(node)}</dt>
          <dd>
            <ThingName id={ofId} />
          </dd>
        </>
      )}
      {!node.fan && (
        <>
          <dt>Id</dt>
          <dd>
            <IdButton id={node.id} />
          </dd>
        </>
      )}
    </dl>
  );
}

function ResourceName(props: {
  readonly node: CauseNode;
  readonly words: CauseWords;
  readonly table: unknown;
}) {
  const { node, words, table } = props;
  const { resource } = node;
  const pathOf = usePathOf();
  if (!resource) return null;
  const name = words.things.get(resource.id)?.name ?? nameResource(node, words.things);
  const path = pathOf(
    resource.type,
    resource.id,
    typeof table === "string" ? table : resource.number,
  );
  if (path === undefined) return <span title={resource.id}>{name}</span>;
  return (
    <Link className="link" to={path} title={resource.id}>
      {name}
    </Link>
  );
}

function FanSample({ node }: { readonly node: CauseNode }) {
  const { fan } = node;
  if (!fan) return null;
  return (
    <section>
      <h3>First entries</h3>
      <Split statuses={fan.statuses} />
      <ul className="cause-members">
        {fan.sample.map(({ id, label }) => (
          <li key={id}>
            {fan.kind === "run" ? (
              <Link to="/runs/$id" params={{ id }} title={id}>
                <span className="cut grow">{label}</span>
              </Link>
            ) : (
              <Link to="/causes/$of" params={{ of: id }} title={id}>
                <span className="cut grow">{label}</span>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
