import type { ButtonHTMLAttributes } from 'react'
import styles from './controls.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
}

export function Button({ kind = 'plain', type = 'button', className, ...rest }: ButtonProps) {
  const classes = [styles.button, styles[kind], className].filter(Boolean).join(' ')
  return <button type={type} className={classes} {...rest} />
}
