import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useOp } from "../data/api.ts";
import { ReadableValue } from "../ui/readable/readable-value.tsx";
import { State } from "../ui/state.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { count, toWords } from "../ui/words.ts";
import { toPlural } from "./class-words.ts";
import { ItemHistory } from "./item/item-history.tsx";
import type { Impact, Topology } from "./map-view.tsx";
import { Button, PlainButton } from "../ui/form/button.tsx";

type Node = Topology["nodes"][number];
type TabId = "impact" | "facts" | "history";

const SHOWN_MAX = 12;
const TABS = [
  { id: "impact", label: "Impact" },
  { id: "facts", label: "Details" },
  { id: "history", label: "History" },
] as const;

interface ItemSideProps {
  readonly node: Node;
  readonly topology: Topology;
  readonly impact: Impact | undefined;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

/** The side panel of an item: impact, attributes and history. */
export function ItemSide(props: ItemSideProps) {
  const { node } = props;
  const [tab, setTab] = useState<TabId>("impact");
  return (
    <aside className="services-side scroll" aria-label={node.name} tabIndex={0}>
      <header>
        <div className="grow">
          <h2>
            <Link to="/services/$id" params={{ id: node.id }} className="services-open">
              {node.name}
            </Link>
          </h2>
          <p className="muted">{toWords(node.class)}</p>
        </div>
        <State state={node.status} />
        <Button look="bare" isIcon aria-label="Close" onClick={props.onClose}>
          <X />
        </Button>
      </header>
      <Tabs label="Item details" tabs={TABS} chosen={tab} onChoose={setTab}>
        {tab === "impact" && <ImpactPanel {...props} />}
        {tab === "facts" && <FactPanel id={node.id} />}
        {tab === "history" && <HistoryPanel id={node.id} />}
      </Tabs>
    </aside>
  );
}

function ImpactPanel({ node, topology, impact, onChoose }: ItemSideProps) {
  const names = new Map(topology.nodes.map(({ id, name }) => [id, name]));
  const own = impact?.item.id === node.id ? impact : undefined;
  const needs = topology.edges.filter(({ from }) => from === node.id);
  const neededBy = topology.edges.filter(({ to }) => to === node.id);
  return (
    <div className="services-panel">
      {own && (
        <section className="services-impact">
          <p>
            <b>{own.counts.items}</b> {own.counts.items === 1 ? "item" : "items"} affected
          </p>
          <ul>
            {Object.entries(own.counts.byClass).map(([name, n]) => (
              <li key={name}>
                <span className="grow">{toPlural(name)}</span>
                <b>{n}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
      {own && (
        <Tickets title="Open incidents" tickets={own.item.incidents} all={own.counts.incidents} />
      )}
      {own && own.counts.changes > 0 && (
        <Tickets title="Planned changes" tickets={own.item.changes} all={own.counts.changes} />
      )}
      <Relations title="Depends on" onChoose={onChoose}>
        {needs.map(({ id, to, type }) => ({ key: id, item: to, name: names.get(to), type }))}
      </Relations>
      <Relations title="Dependents" onChoose={onChoose}>
        {neededBy.map(({ id, from, type }) => ({
          key: id,
          item: from,
          name: names.get(from),
          type,
        }))}
      </Relations>
    </div>
  );
}

function Tickets(props: {
  readonly title: string;
  readonly tickets: Impact["item"]["incidents"];
  readonly all: number;
}) {
  const { tickets, all } = props;
  return (
    <section>
      <h3>{props.title}</h3>
      {tickets.length === 0 && (
        <p className="muted">None{all > 0 && `, ${all.toLocaleString("en")} on dependent items`}</p>
      )}
      <ul>
        {tickets.slice(0, SHOWN_MAX).map(({ id, number, title }) => (
          <li key={id}>
            <Link
              to="/tickets/$reference"
              params={{ reference: number }}
              className="services-ticket"
            >
              <span className="grow cut">{title}</span>
              <span className="mono muted">{number}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Relation {
  readonly key: string;
  readonly item: string;
  readonly name: string | undefined;
  readonly type: string;
}

function Relations(props: {
  readonly title: string;
  readonly onChoose: (id: string) => void;
  readonly children: readonly Relation[];
}) {
  const { children } = props;
  const [isWhole, setWhole] = useState(false);
  if (children.length === 0) return null;
  const shown = isWhole ? children : children.slice(0, SHOWN_MAX);
  return (
    <section>
      <h3>{props.title}</h3>
      <ul>
        {shown.map(({ key, item, name, type }) => (
          <li key={key}>
            <PlainButton className="services-ticket" onClick={() => props.onChoose(item)}>
              <span className="grow cut">{name ?? "Not on the map"}</span>
              <span className="muted">{toWords(type)}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      {shown.length < children.length && (
        <Button look="bare" onClick={() => setWhole(true)}>
          {count(children.length - shown.length, "more", "more")}
        </Button>
      )}
    </section>
  );
}

function FactPanel({ id }: { readonly id: string }) {
  const item = useOp("cmdb.get_item", { params: { id } }).data?.data;
  if (item?.id !== id) return null;
  const { key, description, attributes } = item;
  return (
    <div className="services-panel">
      {description !== "" && <p className="services-about">{description}</p>}
      <Fact name="Key">{key ?? "None"}</Fact>
      {Object.keys(attributes).length > 0 && <ReadableValue value={attributes} />}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <dl className="services-fact">
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </dl>
  );
}

function HistoryPanel({ id }: { readonly id: string }) {
  return (
    <div className="services-panel">
      <ItemHistory id={id} />
    </div>
  );
}
