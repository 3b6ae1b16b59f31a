import { Link } from "@tanstack/react-router";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { call, type Input, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { perform } from "../../data/use-command.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { toWords } from "../../ui/words.ts";
import { ItemsField } from "../item-picker.tsx";
import { Button } from "../../ui/form/button.tsx";

type RelationType = Input<"cmdb.create_relationship">["body"]["type"];

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

/** The dependencies of an item, in both directions. */
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
          aria-label="Add relationship"
          onClick={() => setAdding(true)}
        >
          <Plus />
        </Button>
      </h2>
      {data && relations.length === 0 && <p className="muted">No relationships yet.</p>}
      <Side title="Depends on" relations={needs} end="to" refusal={refusal} />
      <Side title="Dependents" relations={neededBy} end="from" refusal={refusal} />
      {data?.pagination.hasMore && (
        <p className="muted">Only the first 200 are shown. The map shows all.</p>
      )}
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
                aria-label="Remove relationship"
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

const remove = ({ id, from, to, type }: Relation) =>
  perform(
    "cmdb.delete_relationship",
    { params: { id } },
    {
      said: "Relationship removed",
      undo: () => call("cmdb.create_relationship", { body: { from, to, type } }),
    },
  );

interface Draft {
  readonly others: readonly string[];
  readonly type: RelationType;
  readonly way: "to" | "from";
}

function RelationDialog(props: { readonly itemId: string; readonly onClose: () => void }) {
  const { itemId, onClose } = props;
  const form = useForm("cmdb.create_relationship", {
    initial: { others: [], type: "depends_on", way: "to" },
    check: ({ others }) => ({
      others: others.length === 0 ? "Select at least one item." : undefined,
    }),
    send: async ({ others, type, way }: Draft) => {
      for (const other of others) {
        const ends = way === "to" ? { from: itemId, to: other } : { from: other, to: itemId };
        await call("cmdb.create_relationship", { body: { ...ends, type } });
      }
    },
    said: "Relationship added",
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Add relationship" act="Add relationship" onClose={onClose}>
      <Grid min="m">
        <SelectField
          {...form.field("way")}
          label="Direction"
          isRequired
          options={[
            ["to", "From this item to the other"],
            ["from", "From the other to this item"],
          ]}
        />
        <SelectField {...form.field("type")} label="Type" isRequired />
      </Grid>
      <ItemsField {...form.field("others")} label="Items" isRequired />
    </FormDialog>
  );
}
