export declare const FLAGS: readonly string[]
