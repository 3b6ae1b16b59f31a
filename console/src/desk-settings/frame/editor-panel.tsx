import { type ReactNode, useState } from "react";
import type { Input, OperationId } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import type { FormFrame } from "../../ui/form/binding.ts";
import { Confirm } from "../../ui/overlay/confirm.tsx";

interface EditorPanelProps<O extends OperationId> {
  readonly form: FormFrame;
  /** What is changed; nothing where it is made. */
  readonly thing: { readonly id: string } | undefined;
  readonly title: string;
  /** The operation that deletes it, by its id. */
  readonly remove: O;
  /** Said before it is deleted. */
  readonly consequence: string;
  readonly onRemoved: () => void;
  readonly children: ReactNode;
  /** Stands beside the fields. */
  readonly aside?: ReactNode;
}

/** The editor of a thing of the settings: its form, and the way to delete it. */
export function EditorPanel<O extends OperationId>(props: EditorPanelProps<O>) {
  const { form, thing, title, remove: operation, consequence, onRemoved, children, aside } = props;
  const [isAsking, setAsking] = useState(false);
  const remove = useCommand(operation, { onDone: onRemoved });
  return (
    <>
      <FormPanel
        form={form}
        label={title}
        hasTitle
        act={thing ? "Save" : "Create"}
        isNew={!thing}
        aside={aside}
        others={
          thing && (
            <CommandButton command={remove} isDangerous onPress={() => setAsking(true)}>
              Delete
            </CommandButton>
          )
        }
      >
        {children}
      </FormPanel>
      {isAsking && thing && (
        <Confirm
          title={`Delete ${title}?`}
          act="Delete"
          isBusy={remove.isBusy}
          onClose={() => setAsking(false)}
          onAct={() => {
            setAsking(false);
            void remove.run({ params: { id: thing.id } } as unknown as Input<O>);
          }}
        >
          {consequence}
        </Confirm>
      )}
    </>
  );
}
