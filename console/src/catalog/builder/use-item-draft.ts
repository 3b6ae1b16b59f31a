import { useState } from "react";
import { ApiError, call, etagOf, type Input, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import type { FieldError, Schema } from "../../form/index.ts";
import { notify } from "../../ui/toast.tsx";
import { type FormModel, readForm, writeForm } from "./form-model.ts";

type Item = Schemas["CatalogItem"];
export type ItemChange = NonNullable<Input<"catalog.update_item">["body"]>;

const namesOf = (form: object): ReadonlySet<string> =>
  new Set(Object.keys((form as Schema).properties ?? {}));

/** The draft of a catalog item. The form is kept as the builder's model and converted to JSON for saving. */
export function useItemDraft(item: Item) {
  const [ifMatch, setIfMatch] = useState(() =>
    etagOf("catalog.get_item", { params: { id: item.id } }),
  );
  const [change, setChange] = useState<ItemChange>({});
  // The server validated the form when it was saved.
  const [model, setModel] = useState<FormModel>(() => readForm(item.form as Schema));
  const [savedNames, setSavedNames] = useState<ReadonlySet<string>>(() => namesOf(item.form));
  const [past, setPast] = useState<readonly FormModel[]>([]);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const schema = writeForm(model);
  const isFormChanged = past.length > 0;
  const setForm = (next: FormModel): void => {
    setPast([...past, model].slice(-100));
    setModel(next);
  };
  const undo = (): void => {
    const before = past.at(-1);
    if (!before) return;
    setPast(past.slice(0, -1));
    setModel(before);
  };
  const save = async (more: ItemChange = {}): Promise<boolean> => {
    setBusy(true);
    setErrors([]);
    const form = isFormChanged ? { form: schema as Record<string, unknown> } : {};
    try {
      const input = { params: { id: item.id }, body: { ...change, ...form, ...more } };
      await call("catalog.update_item", input, {
        ...(ifMatch !== undefined && { ifMatch }),
        onAnswer: ({ headers }) => setIfMatch(headers.get("etag") ?? undefined),
      });
      setChange({});
      setPast([]);
      if (isFormChanged) setSavedNames(namesOf(schema));
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.errors.length > 0) setErrors(error.errors);
      else notify(describeRefusal(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    shown: { ...item, ...change },
    /** Undefined keeps the saved tasks. */
    tasks: change.tasks,
    model,
    savedNames,
    schema,
    errors,
    isBusy,
    isChanged: isFormChanged || Object.keys(change).length > 0,
    canUndo: isFormChanged,
    setFields: (next: ItemChange) => setChange((old) => ({ ...old, ...next })),
    setForm,
    undo,
    save,
  };
}
