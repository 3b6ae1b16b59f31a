import { call, type Schemas } from "../../data/api.ts";
import {
  CheckField,
  EditorForm,
  LineField,
  SelectField,
  useEditor,
} from "../../desk-settings/index.ts";
import { toWords } from "../../ui/words.ts";
import { AttributeList } from "./attribute-list.tsx";
import { type AttributeTable, mergeAttributes, toSchema, toTable } from "./attribute-model.ts";

export type ItemClass = Schemas["ListedCmdbClass"];

interface ClassDraft {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parent: string | null;
  readonly table: AttributeTable;
}

interface ClassEditorProps {
  readonly class: ItemClass | undefined;
  readonly classes: readonly ItemClass[];
  readonly refusal: string | undefined;
  readonly onOpen: (name: string | undefined) => void;
}

/** A class and its attributes. One that is built in is declared by its first change. */
export function ClassEditor({ class: own, classes, refusal, onOpen }: ClassEditorProps) {
  const isDeclared = own !== undefined && own.createdAt !== null;
  const editor = useEditor<ClassDraft>({
    initial: {
      name: own?.name ?? "",
      label: own?.label ?? "",
      description: own?.description ?? "",
      parent: own?.extends ?? null,
      table: own ? toTable(own.attributes) : { lines: [], isOpen: false },
    },
    revision: own === undefined ? undefined : own.revision,
    stale: "cmdb.",
    refusal,
    save: async ({ name, label, description, parent, table }, ifMatch) => {
      const body = { label, description, extends: parent, attributes: toSchema(table) };
      const saved = isDeclared
        ? await call(
            "cmdb.update_class",
            { params: { name }, body },
            ifMatch === undefined ? {} : { ifMatch },
          )
        : await call("cmdb.create_class", { body: { ...body, name } });
      return { id: saved.data.name, name: saved.data.label || toWords(saved.data.name) };
    },
    ...(isDeclared && {
      remove: () => call("cmdb.delete_class", { params: { name: own.name } }),
    }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  const inherited =
    draft.parent === null ? [] : toTable(mergeAttributes(classes, draft.parent)).lines;
  return (
    <EditorForm
      title={own ? own.label || toWords(own.name) : "New class"}
      editor={editor}
      consequence={
        own?.builtIn
          ? "It becomes what it was before, and its items stay."
          : "It can't be deleted while it has items."
      }
    >
      <div className="editor-columns">
        <LineField
          label="Name on screens"
          value={draft.label}
          onChange={(label) => change(own ? { label } : { label, name: toClassName(label) })}
          error={errorOf("/label")}
        />
        {!own && (
          <LineField
            label="Name in the API"
            value={draft.name}
            onChange={(name) => change({ name })}
            error={errorOf("/name")}
          />
        )}
        <SelectField
          label="Extends"
          value={draft.parent ?? ""}
          options={[
            ["", "Nothing"],
            ...classes
              .filter(({ name }) => name !== own?.name)
              .map(({ name, label }) => [name, label || toWords(name)] as const),
          ]}
          onChange={(name) => change({ parent: name === "" ? null : name })}
          error={errorOf("/extends")}
        />
      </div>
      <LineField
        label="What it is"
        value={draft.description}
        onChange={(description) => change({ description })}
        isOptional
      />
      {inherited.length > 0 && draft.parent !== null && (
        <p className="muted">
          From {toWords(draft.parent)}: {inherited.map(({ name }) => name).join(", ")}
        </p>
      )}
      <AttributeList
        lines={draft.table.lines}
        onChange={(lines) => change({ table: { ...draft.table, lines } })}
        errorOf={errorOf}
      />
      <CheckField
        label="Items may have other attributes, too"
        isOn={draft.table.isOpen}
        onChange={(isOpen) => change({ table: { ...draft.table, isOpen } })}
      />
    </EditorForm>
  );
}

/** The name of a class in the API, from how people call it. */
const toClassName = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
