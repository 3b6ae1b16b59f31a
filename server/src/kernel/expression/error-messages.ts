import { ExpressionError } from "./expression-failure.ts";

/** The position of a failure in the text, with the operator or function there. */
export interface ErrorPosition {
  readonly position?: number | undefined;
  readonly token?: string | undefined;
}

/**
 * The failure for a JSONata error code. JSONata's messages quote values, which can be secret, so each code has
 * a safe message here, and unknown codes a general one.
 */
export function evaluationFailure(code: string, at: ErrorPosition): ExpressionError {
  const template = MESSAGES.get(code) ?? "The expression can't be evaluated with these values.";
  const message = template.replaceAll("{}", at.token ?? "that stands there");
  return new ExpressionError("evaluation", message, at);
}

const INVALID_PICTURE = "The picture string is not valid.";

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["T0410", "An argument of {} has the wrong type, or there are too many or too few."],
  ["T0411", "The context value has the wrong type for {}."],
  ["T0412", "The argument of {} must be an array whose members all have the right type."],
  ["D1001", "A number is out of range."],
  ["D1002", "Only a number can be negated."],
  ["T1003", "A key of an object must be a text."],
  ["D1004", "The regular expression matches an empty text."],
  ["T1005", "{} is not a function; a $ before its name may be missing."],
  ["T1006", "{} is not a function."],
  ["T1007", "{} is not a function; a $ before its name may be missing."],
  ["T1008", "{} is not a function."],
  ["D1009", "Two members of an object have the same key."],
  ["T1010", "The matcher passed to {} does not return what a matcher must."],
  ["D1011", "A function calls itself too deeply."],
  ["D1013", "Keys that begin with _jsonata_ are reserved."],
  ["T2001", "The left side of {} must be a number."],
  ["T2002", "The right side of {} must be a number."],
  ["T2003", "The left side of .. must be a whole number."],
  ["T2004", "The right side of .. must be a whole number."],
  ["T2006", "The right side of ~> must be a function."],
  ["T2007", "Values of different types can't be put in order."],
  ["T2008", "Only numbers and texts can be put in order."],
  ["T2009", "Both sides of {} must be of the same type."],
  ["T2010", "Both sides of {} must be numbers or texts."],
  ["T2011", "The update of a transformation must be an object."],
  ["T2012", "The deletions of a transformation must be texts."],
  ["T2013", "A transformation needs $clone, which is no function here."],
  ["D2014", "The range is too long."],
  ["D2015", "A sequence is too long."],
  ["D3001", "A number that is out of range has no text."],
  ["D3010", "The second argument of $replace must not be empty."],
  ["D3011", "The fourth argument of $replace must not be negative."],
  ["D3012", "$replace needs a text to put in the place of each match."],
  ["D3020", "The third argument of $split must not be negative."],
  ["D3030", "The value can't be made a number."],
  ["D3040", "The third argument of $match must not be negative."],
  ["D3050", "The second argument of $reduce must be a function of at least two arguments."],
  ["D3060", "$sqrt takes no negative number."],
  ["D3061", "The result of $power is out of range."],
  ["D3070", "$sort without a function takes only an array of numbers or one of texts."],
  ...Array.from({ length: 14 }, (_, index) => [`D${3080 + index}`, INVALID_PICTURE] as const),
  ["D3100", "The base must be between 2 and 36."],
  ["D3110", "The text is not a time in ISO 8601."],
  ...Array.from({ length: 7 }, (_, index) => [`D${3130 + index}`, INVALID_PICTURE] as const),
  ["D3137", "The expression called $error."],
  ["D3138", "$single found more than one match."],
  ["D3139", "$single found no match."],
  ["D3140", "The text can't be encoded or decoded as a URL."],
  ["D3141", "The expression's $assert does not hold."],
]);
