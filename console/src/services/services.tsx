import "./services.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Route, Shapes, Upload } from "lucide-react";
import { useMemo, useState } from "react";
import { useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { count, toWords } from "../ui/words.ts";
import { toPlural } from "./class-words.ts";
import { ImportDialog } from "./import/import-dialog.tsx";
import { ItemForm } from "./item/item-form.tsx";
import { ItemSide } from "./item-side.tsx";
import { layOut } from "./map.ts";
import { MapView, type Topology } from "./map-view.tsx";
import { PathSide } from "./path-side.tsx";
import type { ServicesSearch } from "./search.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const ITEMS_MAX = 2_000;
const LISTED_MAX = 200;
const IMPACT_DEPTH = 6;

/** The service map: all items, the impact of each, and paths between them. */
export function Services() {
  const search = useSearch({ from: "/inside/services" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const [isPathing, setPathing] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const [isMaking, setMaking] = useState(false);
  const { data, error, isPending, refetch } = useOp("cmdb.topology", {
    query: { limit: ITEMS_MAX },
  });
  const topology = data?.data;
  const { item, to } = search;
  const { impact, way } = useChosen(item, to);
  const map = useMemo(() => layOut(topology?.nodes ?? []), [topology]);
  const listed = useMemo(() => listNodes(topology, search), [topology, search]);
  const show = (next: Partial<ServicesSearch>): void =>
    void navigate({ to: "/services", search: { ...search, ...next }, replace: true });
  const choose = (id: string | undefined): void => {
    const isEnd = isPathing && item !== undefined && id !== undefined && id !== item;
    setPathing(false);
    show(isEnd ? { to: id } : { item: id, to: undefined });
  };
  const current = isPathing ? to : item;
  useListKeys({
    ids: listed.slice(0, LISTED_MAX).map(({ id }) => id),
    chosen: current,
    onChoose: choose,
  });
  const whyNotPath = item === undefined ? "Select the start of the path first." : undefined;
  const whyNotImport = refusalOf("cmdb.import");
  const whyNotOpen = item === undefined ? "Select an item first." : undefined;
  const open = (): void => {
    if (item !== undefined) void navigate({ to: "/services/$id", params: { id: item } });
  };
  useActions([
    { keys: "p", label: "Find path…", run: () => setPathing(true), disabled: whyNotPath },
    { keys: "/", label: "Search items", run: () => document.getElementById("item-find")?.focus() },
    { keys: "c", label: "New item", run: () => setMaking(true), disabled: whyNotImport },
    { keys: "o", label: "Open item", run: () => open(), disabled: whyNotOpen },
    { label: "Import items", run: () => setImporting(true), disabled: whyNotImport },
  ]);
  const chosen = topology?.nodes.find(({ id }) => id === item);
  const path = to === undefined ? undefined : way?.nodes.map(({ id }) => id);
  return (
    <div className="page">
      <ServicesHead
        topology={topology}
        isPathing={isPathing}
        canPath={chosen !== undefined}
        whyNotImport={whyNotImport}
        onPath={() => setPathing(!isPathing)}
        onImport={() => setImporting(true)}
        onMake={() => setMaking(true)}
      />
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {topology?.nodes.length === 0 && (
        <NothingKnown canImport={whyNotImport === undefined} onImport={() => setImporting(true)} />
      )}
      {topology && topology.nodes.length > 0 && (
        <div className="services">
          <ItemList
            nodes={listed}
            chosen={current}
            search={search}
            onChoose={choose}
            onFind={(q) => show({ q })}
          />
          <div className="services-map">
            <MapView
              topology={topology}
              map={map}
              chosen={chosen?.id}
              impact={chosen && impact?.item.id === chosen.id ? impact : undefined}
              path={path}
              className={search.class}
              onChoose={choose}
              onClass={(name) => show({ class: name })}
            />
            <Legend />
          </div>
          {chosen && (
            <Side
              chosen={chosen}
              topology={topology}
              impact={impact}
              way={to === undefined ? undefined : way}
              isPath={to !== undefined}
              onChoose={choose}
              onClose={() => show(to === undefined ? { item: undefined } : { to: undefined })}
            />
          )}
        </div>
      )}
      {isMaking && <ItemForm onClose={() => setMaking(false)} />}
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </div>
  );
}

/** Loads the impact of the selected item, and the path to another one. */
function useChosen(item: string | undefined, to: string | undefined) {
  const impact = useOp(
    "cmdb.impact",
    { params: { id: item ?? "" }, query: { depth: IMPACT_DEPTH, limit: 1_000 } },
    { enabled: item !== undefined },
  ).data?.data;
  const way = useOp(
    "cmdb.path",
    { query: { from: item ?? "", to: to ?? "", direction: "both" } },
    { enabled: item !== undefined && to !== undefined },
  ).data?.data;
  return { impact, way };
}

function ServicesHead(props: {
  readonly topology: Topology | undefined;
  readonly isPathing: boolean;
  readonly canPath: boolean;
  readonly whyNotImport: string | undefined;
  readonly onPath: () => void;
  readonly onImport: () => void;
  readonly onMake: () => void;
}) {
  const { topology, isPathing, whyNotImport } = props;
  return (
    <header className="page-head services-head">
      <h1>Services</h1>
      {topology && (
        <span className="muted services-count">
          {count(topology.nodes.length, "item")}, {count(topology.edges.length, "relationship")}
          {topology.truncated && "(incomplete)"}
        </span>
      )}
      <span className="grow" />
      {isPathing && (
        <span className="tag info" role="status">
          Select the end of the path
        </span>
      )}
      {props.canPath && (
        <Button aria-pressed={isPathing} aria-keyshortcuts="p" onClick={props.onPath}>
          <Route /> Find path…
        </Button>
      )}
      <Button refusal={whyNotImport} aria-label="Import" onClick={props.onImport}>
        <Upload /> <span className="wide-only">Import</span>
      </Button>
      <Link className="btn bare" to="/services/classes" aria-label="Classes">
        <Shapes /> <span className="wide-only">Classes</span>
      </Link>
      <Button look="main" refusal={whyNotImport} aria-label="New item" onClick={props.onMake}>
        <Plus /> <span className="wide-only">New item</span>
      </Button>
    </header>
  );
}

function NothingKnown(props: { readonly canImport: boolean; readonly onImport: () => void }) {
  return (
    <Empty
      title="No configuration items yet"
      action={
        props.canImport && (
          <Button onClick={props.onImport}>
            <Upload /> Import items
          </Button>
        )
      }
    >
      Services, applications and servers with their dependencies appear here. Import a list to
      start.
    </Empty>
  );
}

/** The panel of the selected item, or of its path to another one. */
function Side(
  props: Omit<Parameters<typeof ItemSide>[0], "node"> & {
    readonly chosen: Node;
    readonly way: Parameters<typeof PathSide>[0]["way"] | undefined;
    readonly isPath: boolean;
  },
) {
  const { chosen, way, isPath, ...rest } = props;
  if (!isPath) return <ItemSide node={chosen} {...rest} />;
  return (
    way && <PathSide from={chosen} way={way} onChoose={rest.onChoose} onClose={rest.onClose} />
  );
}

type Node = Topology["nodes"][number];

/** Returns the items of the list: items with problems first, filtered by class and words. */
function listNodes(
  topology: Topology | undefined,
  { class: only, q = "" }: ServicesSearch,
): readonly Node[] {
  const words = q.toLowerCase();
  return (topology?.nodes ?? [])
    .filter((node) => only === undefined || node.class === only)
    .filter(({ name }) => name.toLowerCase().includes(words))
    .toSorted((a, b) => b.incidents - a.incidents || a.name.localeCompare(b.name));
}

function ItemList(props: {
  readonly nodes: readonly Node[];
  readonly chosen: string | undefined;
  readonly search: ServicesSearch;
  readonly onChoose: (id: string) => void;
  readonly onFind: (q: string | undefined) => void;
}) {
  const { nodes, chosen, search } = props;
  const within = search.class === undefined ? "all" : toPlural(search.class).toLowerCase();
  return (
    <nav className="services-list" aria-label="Items">
      <label className="services-find">
        <TextInput
          id="item-find"
          type="search"
          aria-label="Search items"
          placeholder={`Search ${within}…`}
          value={search.q ?? ""}
          onChange={({ target }) => props.onFind(target.value === "" ? undefined : target.value)}
        />
      </label>
      <ul className="scroll" aria-label="Items" tabIndex={0}>
        {nodes.slice(0, LISTED_MAX).map((node) => (
          <li key={node.id}>
            <PlainButton
              className="services-row"
              aria-current={node.id === chosen ? "true" : undefined}
              onClick={() => props.onChoose(node.id)}
            >
              <span className="grow cut">{node.name}</span>
              {node.incidents > 0 && (
                <span className="services-bad" title={count(node.incidents, "open incident")}>
                  {node.incidents}
                  <span className="hide"> open incidents</span>
                </span>
              )}
              <span className="muted cut">{toWords(node.class)}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      {nodes.length > LISTED_MAX && (
        <p className="muted services-more">and {nodes.length - LISTED_MAX} more</p>
      )}
      {nodes.length === 0 && <p className="muted services-more">No items found</p>}
    </nav>
  );
}

function Legend() {
  return (
    <p className="services-legend" aria-hidden="true">
      <span>
        <i className="bad" /> open incidents
      </span>
      <span>
        <i className="hop-1" /> directly affected
      </span>
      <span>
        <i className="hop-3" /> indirectly affected
      </span>
      <span>
        <i className="off" /> in maintenance
      </span>
    </p>
  );
}
