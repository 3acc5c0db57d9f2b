import * as z from "zod/mini";

/** A part, as a caller names it. */
export const PartArgument = z.string().check(z.minLength(1), z.describe("a part id, such as web or shop/api"));
