import { type ReactNode, useState } from "react";
import type { Input, OperationId } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import type { FormFrame } from "../../ui/form/binding.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";

interface EditorPanelProps<O extends OperationId> {
  readonly form: FormFrame;
  /** The edited resource; undefined creates a new one. */
  readonly thing: { readonly id: string } | undefined;
  readonly title: string;
  /** The operation that deletes it; undefined if it can't be deleted. */
  readonly remove: O | undefined;
  /** The parameters of the operation; by default the id. */
  readonly params?: Readonly<Record<string, string>>;
  /** The consequence, shown in the delete confirmation. */
  readonly consequence: string;
  readonly onRemoved: () => void;
  readonly children: ReactNode;
  /** Shown next to the fields. */
  readonly aside?: ReactNode;
}

/** Edits or deletes a resource in the settings. */
export function EditorPanel<O extends OperationId>(props: EditorPanelProps<O>) {
  const { form, thing, title, remove, consequence, onRemoved, children, aside } = props;
  const { params = { id: thing?.id ?? "" } } = props;
  return (
    <FormPanel
      form={form}
      label={title}
      hasTitle
      act={thing ? "Save" : "Create"}
      isNew={!thing}
      aside={aside}
      others={thing && remove && <Remove {...{ title, remove, params, consequence, onRemoved }} />}
    >
      {children}
    </FormPanel>
  );
}

interface RemoveProps<O extends OperationId> extends Pick<
  EditorPanelProps<O>,
  "title" | "consequence" | "onRemoved"
> {
  readonly remove: O;
  readonly params: Readonly<Record<string, string>>;
}

function Remove<O extends OperationId>({ remove, params, ...words }: RemoveProps<O>) {
  const [isAsking, setAsking] = useState(false);
  const command = useCommand(remove, { onDone: words.onRemoved });
  return (
    <>
      <CommandButton command={command} isDangerous onPress={() => setAsking(true)}>
        Delete
      </CommandButton>
      {isAsking && (
        <Confirm
          title={`Delete ${words.title}?`}
          act="Delete"
          isBusy={command.isBusy}
          onClose={() => setAsking(false)}
          onAct={() => {
            setAsking(false);
            void command.run({ params } as unknown as Input<O>);
          }}
        >
          {words.consequence}
        </Confirm>
      )}
    </>
  );
}
