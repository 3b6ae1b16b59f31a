import { useMemo, useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { type DraftOf, type Form, useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import type { Schema } from "../../form/index.ts";
import { type FormModel, readForm, writeForm } from "./form-model.ts";

type Item = Schemas["CatalogItem"];
type ItemDraft = DraftOf<"catalog.update_item">;
export type ItemForm = Form<ItemDraft>;

const PAST_MAX = 100;

const toInitial = ({ data }: { readonly data: Item }): ItemDraft => {
  const { name, description, category, estimate, price } = data;
  const { visibility, featured, workflowId, approval, form } = data;
  const texts = { name, description, category, estimate, price };
  return { ...texts, visibility, featured, workflowId, approval, form };
};

/**
 * The form of a catalog item. Its questions are kept as the builder's model, and converted to JSON Schema for the
 * draft. A schema from elsewhere, such as another user's version, replaces the model.
 */
export function useItemForm(item: Item) {
  const { id, status } = item;
  const form = useForm("catalog.update_item", {
    params: { id },
    initial: toInitial({ data: item }),
    version: versionOf("catalog.get_item", { params: { id } }, toInitial),
    said: ({ data }) =>
      data.status === status
        ? `${data.name} saved`
        : `${data.name} published. Users can request it now.`,
    onDone: () => setPast([]),
  });
  const schema = form.values.form as Schema;
  const [kept, setKept] = useState(() => ({ schema, model: readForm(schema) }));
  const [past, setPast] = useState<readonly FormModel[]>([]);
  const text = JSON.stringify(schema);
  const isKept = JSON.stringify(kept.schema) === text;
  const read = useMemo(() => readForm(JSON.parse(text) as Schema), [text]);
  const model = isKept ? kept.model : read;
  const show = (next: FormModel): void => {
    const made = writeForm(next);
    setKept({ schema: made, model: next });
    form.change({ form: made as Record<string, unknown> });
  };
  return {
    form,
    schema,
    model,
    /** Names of saved fields, which answers, workflows and reports refer to. */
    savedNames: useMemo(() => namesOf(item.form), [item.form]),
    setModel: (next: FormModel): void => {
      setPast([...past, model].slice(-PAST_MAX));
      show(next);
    },
    undo: (): void => {
      const before = past.at(-1);
      if (!before) return;
      setPast(past.slice(0, -1));
      show(before);
    },
    canUndo: past.length > 0,
  };
}

const namesOf = (form: object): ReadonlySet<string> =>
  new Set(Object.keys((form as Schema).properties ?? {}));
