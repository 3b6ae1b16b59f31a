import "../catalog.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Package, Plus } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const SHOWN = 200;

type Item = Schemas["CatalogItem"];

/** The catalog by category, and the user's own requests. */
export function Catalog() {
  const { q = "", tab } = useSearch({ from: "/inside/catalog" });
  const navigate = useNavigate();
  const mayWrite = useMay()("catalog.create_item");
  const refusal = useRefusal("catalog.create_item");
  const create = (): void => {
    const name = `New item, ${new Date().toLocaleString()}`;
    const form = { type: "object", properties: {}, additionalProperties: false };
    void perform(
      "catalog.create_item",
      { body: { name, form, status: "draft" } },
      {
        onDone: ({ data: { id } }) => void navigate({ to: "/catalog/$id/edit", params: { id } }),
      },
    );
  };
  useActions([
    { keys: "/", label: "Search catalog", run: () => document.getElementById("item-q")?.focus() },
    { keys: "n", label: "New item", run: create, disabled: refusal },
  ]);
  const show = (next: { q?: string | undefined; tab?: "mine" | undefined }): void =>
    void navigate({ to: "/catalog", search: next, replace: true });
  return (
    <div className="page">
      <header className="page-head cat-head">
        <h1>Catalog</h1>
        <div className="tabs" role="group" aria-label="View">
          <PlainButton aria-pressed={tab === undefined} onClick={() => show({})}>
            Browse
          </PlainButton>
          <PlainButton aria-pressed={tab === "mine"} onClick={() => show({ tab: "mine" })}>
            My requests
          </PlainButton>
        </div>
        <span className="grow" />
        {tab === undefined && (
          <label className="cat-find">
            <TextInput
              id="item-q"
              type="search"
              aria-label="Search catalog"
              placeholder="Search…"
              value={q}
              onChange={({ target }) => show({ q: target.value || undefined })}
            />
          </label>
        )}
        {mayWrite && (
          <Button look="main" aria-keyshortcuts="n" onClick={create}>
            <Plus /> New item
          </Button>
        )}
      </header>
      {tab === "mine" ? <MyRequests /> : <Shop q={q} mayWrite={mayWrite} />}
    </div>
  );
}

function Shop({ q, mayWrite }: { readonly q: string; readonly mayWrite: boolean }) {
  const status = mayWrite ? "all" : "active";
  const { data, error, isPending, refetch } = useOp("catalog.list_items", {
    query: { limit: SHOWN, sort: "order", status },
  });
  const words = q.trim().toLowerCase();
  const found = (data?.data ?? []).filter(
    (item) => item.status !== "retired" && matches(item, words),
  );
  const categories = [...new Set(found.map(({ category }) => category))];
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={8} />;
  return (
    <div className="scroll cat-shop" tabIndex={0} role="region" aria-label="Browse">
      {found.length === 0 && (
        <Empty title={words === "" ? "No catalog items yet" : "No matching items"}>
          Create a catalog item with a form for requesters. Requests are fulfilled manually or by a
          workflow.
        </Empty>
      )}
      {categories.map((category) => (
        <section key={category} aria-label={category || "Other"}>
          <h2>{category || "Other"}</h2>
          <ul>
            {found
              .filter((item) => item.category === category)
              .map((item) => (
                <li key={item.id}>
                  <Card item={item} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const matches = ({ name, description, category, keywords = [] }: Item, words: string): boolean =>
  [name, description, category, ...keywords].join(" ").toLowerCase().includes(words);

function Card({ item }: { readonly item: Item }) {
  const { id, name, description, estimate, price, status } = item;
  const facts = [estimate, price].filter((one) => one !== null && one !== undefined);
  return (
    <Link className="cat-card" to="/catalog/$id" params={{ id }}>
      <Package className="ico" />
      <span className="cat-card-name">
        <b>{name}</b> {status === "draft" && <State state="draft" />}
        {item.visibility === "staff" && <span className="muted">staff only</span>}
      </span>
      {description !== "" && <span className="cat-about">{description}</span>}
      {facts.length > 0 && <span className="muted cat-terms">{facts.join(" · ")}</span>}
    </Link>
  );
}

function MyRequests() {
  const { data, error, isPending, refetch } = useOp("requests.list", {
    query: { own: true, limit: SHOWN, sort: "-createdAt" },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={8} />;
  return (
    <div className="scroll cat-shop" tabIndex={0} role="region" aria-label="My requests">
      {data.data.length === 0 && <Empty title="No requests yet" />}
      <ul className="cat-requests">
        {data.data.map(({ id, number, title, state, createdAt }) => (
          <li key={id}>
            <Link to="/tickets/$reference" params={{ reference: number }}>
              <span className="mono muted">{number}</span>
              <span className="grow cut">{title}</span>
              <State state={state} />
              <Ago at={createdAt} />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
