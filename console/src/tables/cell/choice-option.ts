export interface ChoiceOption {
  readonly value: string;
  readonly label: string;
  readonly about?: string | undefined;
}

/** Where somebody goes who has written a cell. */
export type Leave = "stay" | "down" | "up" | "right" | "left";
