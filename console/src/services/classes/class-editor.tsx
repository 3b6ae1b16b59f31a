import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { EditorPanel } from "../../desk-settings/index.ts";
import { freeField } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { toWords } from "../../ui/words.ts";
import { AttributeList } from "./attribute-list.tsx";
import {
  type AttributeTable,
  type ClassDraft,
  mergeAttributes,
  toSchema,
  toTable,
} from "./attribute-model.ts";

export type ItemClass = Schemas["ListedCmdbClass"];

interface ClassEditorProps {
  readonly class: ItemClass | undefined;
  readonly classes: readonly ItemClass[];
  readonly onOpen: (name: string | undefined) => void;
}

/** A class and its attributes. Editing a built-in class creates a definition that overrides it. */
export function ClassEditor({ class: own, classes, onOpen }: ClassEditorProps) {
  const isDeclared = own !== undefined && own.createdAt !== null;
  const form = useForm(isDeclared ? "cmdb.update_class" : "cmdb.create_class", {
    params: { name: own?.name ?? "" },
    initial: {
      name: own?.name ?? "",
      label: own?.label ?? "",
      description: own?.description ?? "",
      extends: own?.extends ?? null,
      attributes: own ? toTable(own.attributes) : { lines: [], isOpen: false },
    },
    version: isDeclared ? revisionOf(own) : undefined,
    toBody: ({ name, attributes, ...rest }: ClassDraft) => ({
      ...rest,
      attributes: toSchema(attributes),
      ...(!isDeclared && { name }),
    }),
    said: ({ data }) => `${data.label || toWords(data.name)} saved`,
    onDone: ({ data }) => own || onOpen(data.name),
  });
  const { values, change } = form;
  const { attributes } = values;
  const setTable = (next: Partial<AttributeTable>): void =>
    change({ attributes: { ...attributes, ...next } });
  const parent = values.extends;
  const inherited = parent === null ? [] : toTable(mergeAttributes(classes, parent)).lines;
  return (
    <EditorPanel
      form={form}
      thing={own && { id: own.name }}
      title={own ? own.label || toWords(own.name) : "New class"}
      remove={isDeclared ? "cmdb.delete_class" : undefined}
      params={{ name: own?.name ?? "" }}
      onRemoved={() => onOpen(undefined)}
      consequence={
        own?.builtIn
          ? "Resets the built-in class to its default. Its items are kept."
          : "You can't delete a class that has items."
      }
    >
      <Grid min="m">
        <TextField
          {...form.field("label")}
          label="Display name"
          isRequired
          onChange={(text) => {
            const label = text ?? "";
            change(own ? { label } : { label, name: toClassName(label) });
          }}
        />
        {!own && <TextField {...form.field("name")} label="API name" />}
        <SelectField
          {...form.field("extends")}
          none="No class"
          isRequired
          options={classes
            .filter(({ name }) => name !== own?.name)
            .map(({ name, label }) => [name, label || toWords(name)] as const)}
        />
      </Grid>
      <TextField {...form.field("description")} label="Description" />
      {inherited.length > 0 && parent !== null && (
        <p className="muted">
          Inherited from {toWords(parent)}: {inherited.map(({ name }) => name).join(", ")}
        </p>
      )}
      <AttributeList form={form} onChange={(lines) => setTable({ lines })} />
      <CheckField
        {...freeField("isOpen", attributes.isOpen, (isOpen) =>
          setTable({ isOpen: isOpen === true }),
        )}
        isDisabled={form.refusal !== undefined}
        label="Allow additional attributes"
      />
    </EditorPanel>
  );
}

/** Derives the API name of a class from its label. */
const toClassName = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
