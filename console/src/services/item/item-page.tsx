import "../services.css";
import "./item-page.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft, Network, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { etagOf, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useRefusals } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { isMoment, PastBanner, PastError } from "../../past/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { ReadableValue } from "../../ui/readable/readable-value.tsx";
import { State } from "../../ui/state.tsx";
import { count, toWords } from "../../ui/words.ts";
import { ImpactLevels } from "./impact-levels.tsx";
import type { Item } from "./item.ts";
import { ItemForm } from "./item-form.tsx";
import { ItemHistory, useItemMoments } from "./item-history.tsx";
import { RelationList } from "./relation-list.tsx";
import { TicketList } from "./ticket-list.tsx";
import { Button } from "../../ui/form/button.tsx";

const DEPTH = 6;

/** The page of an item, current or at a point in time. */
export function ItemPage() {
  const { id } = useParams({ from: "/inside/services/$id" });
  const { at } = useSearch({ from: "/inside/services/$id" });
  const navigate = useNavigate();
  const show = (moment: string | undefined): void =>
    void navigate({
      to: "/services/$id",
      params: { id },
      search: { at: moment },
      replace: at !== undefined && moment !== undefined,
    });
  return isMoment(at) ? (
    <PastItem key={id} {...{ id, at }} onAt={show} />
  ) : (
    <PresentItem key={id} id={id} onSee={show} />
  );
}

interface PresentItemProps {
  readonly id: string;
  readonly onSee: (at: string) => void;
}

function PresentItem({ id, onSee }: PresentItemProps) {
  const input = { params: { id } };
  const { data, error, isPending, refetch } = useOp("cmdb.get_item", input);
  const item = data?.data;
  useTitle(item?.name);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page paper">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {item?.id === id && (
        <ItemSheet key={id} {...{ item, onSee }} ifMatch={etagOf("cmdb.get_item", input)} />
      )}
    </div>
  );
}

interface PastItemProps {
  readonly id: string;
  readonly at: string;
  readonly onAt: (at: string | undefined) => void;
}

/** An item at a point in time. Dependencies and impact are only known for the present. */
function PastItem({ id, at, onAt }: PastItemProps) {
  const input = { params: { id }, query: { asOf: at } };
  const { data, error, isPlaceholderData, refetch } = useOp("cmdb.get_item", input);
  const item = isPlaceholderData ? undefined : data?.data;
  const moments = (useItemMoments(id) ?? []).map(({ createdAt }) => createdAt);
  useTitle(item?.name);
  return (
    <div className="page paper">
      <PastBanner {...{ at, moments }} onChange={onAt} />
      {error && <PastError error={error} retry={() => void refetch()} />}
      {!item && !error && <Loading rows={10} />}
      {item && !error && (
        <>
          <header className="page-head item-head">
            <span className="muted">{toWords(item.class)}</span>
            <State state={item.status} />
          </header>
          <div className="scroll item-page" tabIndex={0} role="region" aria-label={item.name}>
            <article className="item-main">
              <h1>{item.name}</h1>
              {item.description !== "" && <p className="item-about">{item.description}</p>}
              <section aria-label="History">
                <h2>History until this time</h2>
                <ItemHistory {...{ id, at }} onSee={onAt} />
              </section>
            </article>
            <aside className="item-side" aria-label="Details">
              <ItemFacts item={item} />
            </aside>
          </div>
        </>
      )}
    </div>
  );
}

interface SheetProps {
  readonly item: Item;
  readonly ifMatch: string | undefined;
  readonly onSee: (at: string) => void;
}

/** The page of an item: attributes, dependencies, impact, tickets and history. */
function ItemSheet({ item, ifMatch, onSee }: SheetProps) {
  const refusalOf = useRefusals();
  const [open, setOpen] = useState<"edit" | "delete">();
  const refusal = refusalOf("cmdb.delete_item");
  const impact = useOp("cmdb.impact", {
    params: { id: item.id },
    query: { depth: DEPTH, limit: 1_000 },
  }).data?.data;
  useActions([
    { keys: "e", label: "Edit item", run: () => setOpen("edit"), disabled: refusal },
    { label: "Delete item", run: () => setOpen("delete"), disabled: refusal },
  ]);
  return (
    <>
      <header className="page-head item-head">
        <Link
          className="btn bare icon"
          aria-label="Services"
          to="/services"
          search={{ item: item.id }}
        >
          <ArrowLeft />
        </Link>
        <span className="muted">{toWords(item.class)}</span>
        <State state={item.status} />
        <span className="grow" />
        <Link
          className="btn bare"
          aria-label="Show on map"
          to="/services"
          search={{ item: item.id }}
        >
          <Network /> <span className="wide-only">Show on map</span>
        </Link>
        <Button
          look="bare"
          isIcon
          refusal={refusal}
          aria-label="Delete item"
          onClick={() => setOpen("delete")}
        >
          <Trash2 />
        </Button>
        <Button refusal={refusal} aria-keyshortcuts="e" onClick={() => setOpen("edit")}>
          <Pencil /> Edit
        </Button>
      </header>
      <div className="scroll item-page" tabIndex={0} role="region" aria-label={item.name}>
        <article className="item-main">
          <h1>{item.name}</h1>
          {item.description !== "" && <p className="item-about">{item.description}</p>}
          {impact?.item.id === item.id && <ImpactLevels impact={impact} />}
          {impact?.item.id === item.id && <TicketList itemId={item.id} impact={impact} />}
          <section aria-label="History">
            <h2>History</h2>
            <ItemHistory id={item.id} onSee={onSee} />
          </section>
        </article>
        <aside className="item-side" aria-label="Details">
          <ItemFacts item={item} />
          <RelationList itemId={item.id} refusal={refusal} />
        </aside>
      </div>
      {open === "edit" && (
        <ItemForm item={item} ifMatch={ifMatch} onClose={() => setOpen(undefined)} />
      )}
      {open === "delete" && <DeleteItem item={item} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function ItemFacts({ item }: { readonly item: Item }) {
  const nameOf = useNames();
  return (
    <section aria-label="Details">
      <h2>Details</h2>
      <dl className="item-facts">
        <dt>Key</dt>
        <dd className="mono">{item.key ?? "–"}</dd>
        <dt>Owner</dt>
        <dd>{nameOf(item.ownerId) ?? "–"}</dd>
        <dt>Team</dt>
        <dd>{nameOf(item.teamId) ?? "–"}</dd>
      </dl>
      {Object.keys(item.attributes).length > 0 && <ReadableValue value={item.attributes} />}
    </section>
  );
}

function DeleteItem({ item, onClose }: { readonly item: Item; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useCommand("cmdb.delete_item", {
    said: `${item.name} deleted`,
    onDone: () => void navigate({ to: "/services" }),
  });
  const query = item.relationshipCount > 0 ? { force: true } : {};
  return (
    <Confirm
      title={`Delete ${item.name}?`}
      act="Delete item"
      isBusy={remove.isBusy}
      onAct={() => void remove.run({ params: { id: item.id }, query })}
      onClose={onClose}
    >
      {item.relationshipCount > 0 &&
        `Also deletes ${count(item.relationshipCount, "relationship")}. `}
      This can't be undone. Tickets keep the id of the item. To keep its history, set its state to
      Retired instead.
    </Confirm>
  );
}
