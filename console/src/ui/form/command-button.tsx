import { Keys } from "../key.tsx";
import { Button, type ButtonProps } from "./button.tsx";

/** The command fields used by buttons. */
export interface ButtonCommand {
  readonly isBusy: boolean;
  readonly refusal: string | undefined;
}

interface CommandButtonProps extends Omit<ButtonProps, "refusal" | "disabled" | "onClick"> {
  readonly command: ButtonCommand;
  readonly onPress: () => void;
  readonly isMain?: boolean;
  readonly keys?: string | undefined;
}

/** The button of a command: disabled while the command runs, and disabled with the reason if it is not allowed. */
export function CommandButton(props: CommandButtonProps) {
  const { command, onPress, isMain = false, keys, children, ...rest } = props;
  return (
    <Button
      type="button"
      look={isMain ? "main" : undefined}
      {...rest}
      refusal={command.refusal}
      disabled={command.isBusy}
      onClick={onPress}
    >
      {children} {keys !== undefined && <Keys keys={keys} />}
    </Button>
  );
}
