export interface ChoiceOption {
  readonly value: string;
  readonly label: string;
  readonly about?: string | undefined;
}

/** The direction of the focus after an edit. */
export type Leave = "stay" | "down" | "up" | "right" | "left";
