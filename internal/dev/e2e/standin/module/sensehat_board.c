// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for the board of the Raspberry Pi Sense HAT without a driver bound to it:
 * bus 1 with the board's controller at 0x46 and an accelerometer at 0x6A, and a GPIO
 * controller whose line 23 goes high when the keys change and low when they are read.
 *
 * In debugfs, sensehat_board/:
 *   leds       the 192 LED registers: per row 8 red, 8 green, 8 blue bytes
 *   longest    length of the longest transfer so far, in bytes
 *   transfers  number of transfers so far, including failed ones
 *   keys       write which keys are down, as in register 0xF2
 *   failing    write how many of the next transfers fail
 *   pulled     write Y to pull the board off its bus, N to put it back
 *   twin       write 1 to add another GPIO controller with the same label, 0 to remove it
 *   flip_msb   write Y to set the highest bit of what the controller answers, as the first
 *              Pis' bus may if the clock is stretched
 *
 * GPL-2.0 because the kernel exports these interfaces only to GPL modules.
 */

#include <linux/debugfs.h>
#include <linux/gpio/driver.h>
#include <linux/i2c.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/mutex.h>

#define NAME		"sensehat_board"
#define LED_BYTES	192
#define BOARD		0x46
#define ACCELEROMETER	0x6A
#define KEYS_LINE	23
#define LINES		54

static DEFINE_MUTEX(lock);
static u8 leds[LED_BYTES];
static u8 keys, keys_line;
static u8 accelerometer[128] = { [0x0F] = 0x68, [0x2B] = 0xC0 };	/* y is -1 g: upright */
static u8 at_board, at_accelerometer;	/* the register of the next byte */
static u32 longest, transfers, failing;
static bool pulled, flip_msb;

static u8 board_read(void)
{
	switch (at_board) {
	case 0xF0:
		return 's';
	case 0xF2:
		keys_line = 0;
		return keys;
	}
	return 0;
}

static int message(struct i2c_msg *m)
{
	u8 *at = m->addr == BOARD ? &at_board : &at_accelerometer;
	int i;

	if (pulled || (m->addr != BOARD && m->addr != ACCELEROMETER))
		return -EREMOTEIO;
	longest = max_t(u32, longest, m->len);
	for (i = 0; i < m->len; i++) {
		if (m->flags & I2C_M_RD)
			m->buf[i] = m->addr == BOARD ? board_read() ^ (flip_msb << 7) : accelerometer[*at & 127];
		else if (i == 0)
			*at = m->buf[0];
		else if (m->addr == ACCELEROMETER)
			accelerometer[*at & 127] = m->buf[i];
		else if (*at < LED_BYTES)
			leds[*at] = m->buf[i];
		if (i > 0 || (m->addr == ACCELEROMETER && m->flags & I2C_M_RD))
			(*at)++;
	}
	return 0;
}

static int transfer(struct i2c_adapter *adapter, struct i2c_msg *m, int n)
{
	int i, err = 0;

	mutex_lock(&lock);
	transfers++;
	if (failing > 0) {
		failing--;
		err = -ETIMEDOUT;
	}
	for (i = 0; i < n && !err; i++)
		err = message(&m[i]);
	mutex_unlock(&lock);
	return err ?: n;
}

static u32 functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = {
	.master_xfer = transfer,
	.functionality = functionality,
};

static struct i2c_adapter adapter = {
	.owner = THIS_MODULE,
	.algo = &algorithm,
	.name = NAME,
	.nr = 1,
};

static int line_direction(struct gpio_chip *chip, unsigned int line)
{
	return GPIO_LINE_DIRECTION_IN;
}

static int line_input(struct gpio_chip *chip, unsigned int line)
{
	return 0;
}

static int line_get(struct gpio_chip *chip, unsigned int line)
{
	return line == KEYS_LINE && keys_line;
}

static struct gpio_chip pins = {
	.label = "pinctrl-" NAME,
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = LINES,
	.get_direction = line_direction,
	.direction_input = line_input,
	.get = line_get,
};

static void irq_mask(struct irq_data *d)
{
	gpiochip_disable_irq(&pins, irqd_to_hwirq(d));
}

static void irq_unmask(struct irq_data *d)
{
	gpiochip_enable_irq(&pins, irqd_to_hwirq(d));
}

static int irq_set_type(struct irq_data *d, unsigned int type)
{
	return type == IRQ_TYPE_EDGE_RISING ? 0 : -EINVAL;
}

static const struct irq_chip interrupts = {
	.name = NAME,
	.irq_mask = irq_mask,
	.irq_unmask = irq_unmask,
	.irq_set_type = irq_set_type,
	.flags = IRQCHIP_IMMUTABLE,
	GPIOCHIP_IRQ_RESOURCE_HELPERS,
};

static int set_keys(void *data, u64 down)
{
	unsigned long flags;
	bool rises;

	mutex_lock(&lock);
	keys = down;
	rises = !keys_line;
	keys_line = 1;
	mutex_unlock(&lock);
	if (rises) {
		local_irq_save(flags);
		generic_handle_domain_irq(pins.irq.domain, KEYS_LINE);
		local_irq_restore(flags);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(keys_file, NULL, set_keys, "%llu\n");

static struct gpio_chip twin = {
	.label = "pinctrl-" NAME,
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = LINES,
	.get_direction = line_direction,
	.direction_input = line_input,
	.get = line_get,
};
static bool twins;

static int set_twin(void *data, u64 wanted)
{
	int err = 0;

	mutex_lock(&lock);
	if (wanted && !twins)
		err = gpiochip_add_data(&twin, NULL);
	else if (!wanted && twins)
		gpiochip_remove(&twin);
	twins = wanted && !err;
	mutex_unlock(&lock);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(twin_file, NULL, set_twin, "%llu\n");

static struct dentry *folder;
static struct debugfs_blob_wrapper leds_blob = { .data = leds, .size = LED_BYTES };

static int __init board_init(void)
{
	int err;

	gpio_irq_chip_set_chip(&pins.irq, &interrupts);
	pins.irq.default_type = IRQ_TYPE_NONE;
	pins.irq.handler = handle_simple_irq;
	err = gpiochip_add_data(&pins, NULL);
	if (err)
		return err;
	err = i2c_add_numbered_adapter(&adapter);
	if (err) {
		gpiochip_remove(&pins);
		return err;
	}
	folder = debugfs_create_dir(NAME, NULL);
	debugfs_create_blob("leds", 0400, folder, &leds_blob);
	debugfs_create_u32("longest", 0400, folder, &longest);
	debugfs_create_u32("transfers", 0400, folder, &transfers);
	debugfs_create_file("keys", 0200, folder, NULL, &keys_file);
	debugfs_create_u32("failing", 0600, folder, &failing);
	debugfs_create_bool("pulled", 0600, folder, &pulled);
	debugfs_create_file("twin", 0200, folder, NULL, &twin_file);
	debugfs_create_bool("flip_msb", 0600, folder, &flip_msb);
	return 0;
}
module_init(board_init);

static void __exit board_exit(void)
{
	debugfs_remove_recursive(folder);
	set_twin(NULL, false);
	i2c_del_adapter(&adapter);
	gpiochip_remove(&pins);
}
module_exit(board_exit);

MODULE_DESCRIPTION("Stand-in for the Sense HAT's board");
MODULE_LICENSE("GPL");
