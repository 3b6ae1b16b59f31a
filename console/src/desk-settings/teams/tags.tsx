import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, invalidate, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import { Link } from "@tanstack/react-router";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import { LineField } from "../frame/editor-form.tsx";

const SHOWN = 100;

/** The tags in use: each leads to its tickets, and can be renamed, joined with another or taken off. */
export function TagSettings() {
  const { data, error, isPending, refetch } = useOp("tickets.list_tags", {
    query: { limit: SHOWN },
  });
  const may = useMay();
  const refusal = may("macros:run") ? undefined : "You may not change many tickets (macros:run).";
  const [tag, setTag] = useState<string>();
  const tags = data?.data.tags ?? [];
  return (
    <div className="settings-scroll scroll">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {data && tags.length === 0 && (
        <Empty title="No tags yet">Agents add them in the details of a ticket.</Empty>
      )}
      <ul className="tag-list">
        {tags.map(({ tag: name, uses }) => (
          <li key={name} className="tag-line">
            <Link
              to="/desk"
              search={{ view: "open", only: `tag:${encodeURIComponent(name)}` }}
              className="grow cut"
            >
              {name}
            </Link>
            <span className="muted">{count(uses, "ticket")}</span>
            <button
              className="btn bare icon small"
              aria-label={`Rename or remove ${name}`}
              title={refusal ?? "Rename or remove"}
              disabled={refusal !== undefined}
              onClick={() => setTag(name)}
            >
              <Pencil />
            </button>
          </li>
        ))}
      </ul>
      {tag !== undefined && <TagDialog tag={tag} onClose={() => setTag(undefined)} />}
    </div>
  );
}

function TagDialog({ tag, onClose }: { readonly tag: string; readonly onClose: () => void }) {
  const [name, setName] = useState(tag);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const wanted = name.trim().toLowerCase().replaceAll(",", "");
  const apply = async (add: string | undefined): Promise<void> => {
    setBusy(true);
    const act = { act: "tag" as const, remove: [tag], ...(add !== undefined && { add: [add] }) };
    try {
      const { data } = await call("tickets.bulk", { body: { select: { tags: tag }, acts: [act] } });
      invalidate(["tickets.", "views."]);
      notify(
        add === undefined
          ? `${tag} is taken off ${count(data.changed, "ticket")}`
          : `${tag} is ${add} on ${count(data.changed, "ticket")}`,
      );
      onClose();
    } catch (refused) {
      setError(describeRefusal(refused));
      setBusy(false);
    }
  };
  const isSame = wanted === tag || wanted === "";
  return (
    <Dialog
      title={`The tag ${tag}`}
      onClose={onClose}
      onSubmit={() => !isSame && void apply(wanted)}
      footer={
        <>
          <button
            type="button"
            className="btn danger"
            disabled={isBusy}
            onClick={() => void apply(undefined)}
          >
            <Trash2 /> Remove from all tickets
          </button>
          <span className="grow" />
          <button className="btn main" disabled={isSame || isBusy}>
            Rename
          </button>
        </>
      }
    >
      <LineField
        label="Name"
        value={name}
        onChange={setName}
        error={error}
        help="The name of another tag joins the two. At most 1,000 tickets at once."
      />
    </Dialog>
  );
}
