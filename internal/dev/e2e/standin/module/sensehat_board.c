// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for the board of the Raspberry Pi Sense HAT without a driver bound to it:
 * bus 1 with the board's controller at 0x46 and an accelerometer at 0x6A.
 *
 * In debugfs, sensehat_board/:
 *   leds       the 192 LED registers: per row 8 red, 8 green, 8 blue bytes
 *   keys       write which keys are down, as in register 0xF2
 *   pulled     write Y to pull the board off its bus, N to put it back
 *
 * GPL-2.0 because the kernel exports these interfaces only to GPL modules.
 */

#include <linux/debugfs.h>
#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/mutex.h>

#define NAME		"sensehat_board"
#define LED_BYTES	192
#define BOARD		0x46
#define ACCELEROMETER	0x6A

static DEFINE_MUTEX(lock);
static u8 leds[LED_BYTES];
static u8 keys;
static u8 accelerometer[128] = { [0x0F] = 0x68, [0x2B] = 0xC0 };	/* y is -1 g: upright */
static u8 at_board, at_accelerometer;	/* the register of the next byte */
static bool pulled;

static u8 board_read(void)
{
	switch (at_board) {
	case 0xF0:
		return 's';
	case 0xF2:
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
	for (i = 0; i < m->len; i++) {
		if (m->flags & I2C_M_RD)
			m->buf[i] = m->addr == BOARD ? board_read() : accelerometer[*at & 127];
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

static struct dentry *folder;
static struct debugfs_blob_wrapper leds_blob = { .data = leds, .size = LED_BYTES };

static int __init board_init(void)
{
	int err = i2c_add_numbered_adapter(&adapter);

	if (err)
		return err;
	folder = debugfs_create_dir(NAME, NULL);
	debugfs_create_blob("leds", 0400, folder, &leds_blob);
	debugfs_create_u8("keys", 0600, folder, &keys);
	debugfs_create_bool("pulled", 0600, folder, &pulled);
	return 0;
}
module_init(board_init);

static void __exit board_exit(void)
{
	debugfs_remove_recursive(folder);
	i2c_del_adapter(&adapter);
}
module_exit(board_exit);

MODULE_DESCRIPTION("Stand-in for the Sense HAT's board");
MODULE_LICENSE("GPL");
