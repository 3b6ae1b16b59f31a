import { ChevronsUpDown } from "lucide-react";
import { lazy, Suspense } from "react";
import { place } from "../../data/place.ts";
import { Popover } from "./popover.tsx";

const Choices = lazy(async () => ({
  default: (await import("./workspace-choices.tsx")).WorkspaceChoices,
}));

/** The name of the workspace; with several, a menu to switch. */
export function WorkspaceSwitch({ name }: { readonly name: string | undefined }) {
  return (
    <Popover
      label={`Workspace: ${name ?? place.workspace ?? ""}`}
      className="workspace-switch grow"
      trigger={
        <>
          <strong className="cut grow">{name ?? place.workspace}</strong>
          <ChevronsUpDown className="ico" />
        </>
      }
    >
      {(close) => (
        <Suspense>
          <Choices onStay={close} />
        </Suspense>
      )}
    </Popover>
  );
}
