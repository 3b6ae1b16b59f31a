import { CMDB_EDGE_TYPE } from "@millrace/client/enums";
import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { SelectField } from "../../desk-settings/index.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { toWords } from "../../ui/words.ts";
import { ItemPicker } from "../item-picker.tsx";
import { Button } from "../../ui/form/button.tsx";

const TYPES = CMDB_EDGE_TYPE;
type RelationType = (typeof TYPES)[number];

interface RelationListProps {
  readonly itemId: string;
  readonly refusal: string | undefined;
}

interface Relation {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: RelationType;
}

/** What an item stands on, and what stands on it. */
export function RelationList({ itemId, refusal }: RelationListProps) {
  const [isAdding, setAdding] = useState(false);
  const { data } = useOp("cmdb.list_relationships", { query: { item: itemId, limit: 200 } });
  const relations = data?.data ?? [];
  const needs = relations.filter(({ from }) => from === itemId);
  const neededBy = relations.filter(({ to, from }) => to === itemId && from !== itemId);
  return (
    <section aria-label="Relationships">
      <h2 className="row">
        <span className="grow">Relationships</span>
        <Button
          look="bare"
          isIcon
          isSmall
          refusal={refusal}
          aria-label="Add a relationship"
          onClick={() => setAdding(true)}
        >
          <Plus />
        </Button>
      </h2>
      {data && relations.length === 0 && <p className="muted">None yet: it stands alone.</p>}
      <Side title="Stands on" relations={needs} end="to" refusal={refusal} />
      <Side title="Others stand on it" relations={neededBy} end="from" refusal={refusal} />
      {data?.pagination.hasMore && <p className="muted">And more: the map has them all.</p>}
      {isAdding && <RelationDialog itemId={itemId} onClose={() => setAdding(false)} />}
    </section>
  );
}

interface SideProps {
  readonly title: string;
  readonly relations: readonly Relation[];
  readonly end: "from" | "to";
  readonly refusal: string | undefined;
}

function Side({ title, relations, end, refusal }: SideProps) {
  if (relations.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="item-relations">
        {relations.map((relation) => (
          <li key={relation.id}>
            <OtherItem id={relation[end]} />
            <span className="muted">{toWords(relation.type).toLowerCase()}</span>
            {refusal === undefined && (
              <Button
                look="bare"
                isIcon
                isSmall
                aria-label="Remove the relationship"
                onClick={() => void remove(relation)}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function OtherItem({ id }: { readonly id: string }) {
  const item = useOp("cmdb.get_item", { params: { id } }, { staleTime: 60_000 }).data?.data;
  return (
    <Link to="/services/$id" params={{ id }} className="grow cut item-other">
      {item?.id === id ? item.name : "…"}
    </Link>
  );
}

async function remove({ id, from, to, type }: Relation): Promise<void> {
  await applyChange({
    send: async () => {
      await call("cmdb.delete_relationship", { params: { id } });
    },
    said: "The relationship is removed",
    undo: async () => {
      await call("cmdb.create_relationship", { body: { from, to, type } });
    },
  });
}

function RelationDialog(props: { readonly itemId: string; readonly onClose: () => void }) {
  const { itemId, onClose } = props;
  const [others, setOthers] = useState<readonly string[]>([]);
  const [type, setType] = useState<RelationType>("depends_on");
  const [way, setWay] = useState<"to" | "from">("to");
  const submit = async (): Promise<void> => {
    const isDone = await applyChange({
      send: async () => {
        for (const other of others) {
          const ends = way === "to" ? { from: itemId, to: other } : { from: other, to: itemId };
          await call("cmdb.create_relationship", { body: { ...ends, type } });
        }
      },
      said: "They are tied",
    });
    if (isDone) onClose();
  };
  return (
    <Dialog
      title="Add a relationship"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <Button look="main" disabled={others.length === 0}>
          Add
        </Button>
      }
    >
      <div className="item-form">
        <div className="editor-columns">
          <SelectField
            label="Which way"
            value={way}
            options={[
              ["to", "It … the other"],
              ["from", "The other … it"],
            ]}
            onChange={setWay}
          />
          <SelectField
            label="How"
            value={type}
            options={TYPES.map((one) => [one, toWords(one).toLowerCase()])}
            onChange={setType}
          />
        </div>
        <Field label="Items">
          {({ id }) => <ItemPicker id={id} label="Items" value={others} onChange={setOthers} />}
        </Field>
      </div>
    </Dialog>
  );
}
